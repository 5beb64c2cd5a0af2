// Connects with the TypeScript SDK's v2 client and makes the calls that come in, line by line.
// `node typescript_v2.mjs URL MODE`, with an API key in MCP_KEY, beside a node_modules that has the
// SDK. Prints JSON lines: what was found on connecting, every page to open, every outcome.
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const say = (told) => process.stdout.write(JSON.stringify(told) + "\n");
const client = new Client(
  { name: "typescript-v2", version: "1.0.0" },
  {
    capabilities: { elicitation: { form: {}, url: {} } },
    versionNegotiation: { mode: process.argv[3] },
  },
);
client.setRequestHandler("elicitation/create", async (request) => {
  say({ page: request.params.url });
  return { action: "accept" };
});
const transport = new StreamableHTTPClientTransport(new URL(process.argv[2]), {
  requestInit: { headers: { Authorization: `Bearer ${process.env.MCP_KEY}` } },
});
await client.connect(transport);

const listed = await client.listTools();
const version = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion;
say({ version, tools: listed.tools.map((tool) => tool.name) });
for await (const line of createInterface({ input: process.stdin })) {
  try {
    const result = await client.callTool(JSON.parse(line));
    const failed = { error: result.content[0].text };
    say({ outcome: result.isError ? failed : { structured: result.structuredContent } });
  } catch (error) {
    say({ outcome: { code: error.code, data: error.data, text: String(error) } });
  }
}
await client.close();
