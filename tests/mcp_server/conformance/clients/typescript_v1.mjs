// Connects with the TypeScript SDK's v1 client and makes the calls that come in, line by line.
// `node typescript_v1.mjs URL MODE`, with an API key in MCP_KEY, beside a node_modules that has the
// SDK. Prints JSON lines: what was found on connecting, every page to open, every outcome.
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const say = (told) => process.stdout.write(JSON.stringify(told) + "\n");
const client = new Client(
  { name: "typescript-v1", version: "1.0.0" },
  { capabilities: { elicitation: { form: {}, url: {} } } },
);
client.setRequestHandler(ElicitRequestSchema, async (request) => {
  say({ page: request.params.url });
  return { action: "accept" };
});
const transport = new StreamableHTTPClientTransport(new URL(process.argv[2]), {
  requestInit: { headers: { Authorization: `Bearer ${process.env.MCP_KEY}` } },
});
await client.connect(transport);

const listed = await client.listTools();
say({ version: transport.protocolVersion, tools: listed.tools.map((tool) => tool.name) });
for await (const line of createInterface({ input: process.stdin })) {
  try {
    const result = await client.callTool(JSON.parse(line));
    const failed = { error: result.content[0].text };
    say({ outcome: result.isError ? failed : { structured: result.structuredContent } });
  } catch (error) {
    say({ outcome: { code: error.code, data: error.data, text: String(error) } });
  }
}
await transport.terminateSession();
await client.close();
