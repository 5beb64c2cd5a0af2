// Connects with the TypeScript SDK's v2 client and calls what standard input lists.
// `node typescript_v2.mjs URL MODE`, beside a node_modules that has the SDK. Prints one JSON report.
import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const pages = [];
const client = new Client(
  { name: "typescript-v2", version: "1.0.0" },
  {
    capabilities: { elicitation: { form: {}, url: {} } },
    versionNegotiation: { mode: process.argv[3] },
  },
);
client.setRequestHandler("elicitation/create", async (request) => {
  pages.push(request.params.url);
  return { action: "accept" };
});
const transport = new StreamableHTTPClientTransport(new URL(process.argv[2]));
await client.connect(transport);

const listed = await client.listTools();
const outcomes = [];
for (const call of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    const result = await client.callTool(call);
    outcomes.push(
      result.isError ? { error: result.content[0].text } : { structured: result.structuredContent },
    );
  } catch (error) {
    outcomes.push({ code: error.code, data: error.data, text: String(error) });
  }
}
const version = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion;
await client.close();
process.stdout.write(
  JSON.stringify({ version, tools: listed.tools.map((tool) => tool.name), outcomes, pages }),
);
