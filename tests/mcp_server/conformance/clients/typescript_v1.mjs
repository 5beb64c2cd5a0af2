// Connects with the TypeScript SDK's v1 client and calls what standard input lists.
// `node typescript_v1.mjs URL MODE`, beside a node_modules that has the SDK. Prints one JSON report.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const pages = [];
const client = new Client(
  { name: "typescript-v1", version: "1.0.0" },
  { capabilities: { elicitation: { form: {}, url: {} } } },
);
client.setRequestHandler(ElicitRequestSchema, async (request) => {
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
const version = transport.protocolVersion;
await transport.terminateSession();
await client.close();
process.stdout.write(
  JSON.stringify({ version, tools: listed.tools.map((tool) => tool.name), outcomes, pages }),
);
