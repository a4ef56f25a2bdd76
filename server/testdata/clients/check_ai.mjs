// Drives a server with the AI SDK's provider for OpenAI-compatible servers; prints
// "ok" at the end. usage: as check.mjs.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.LEXAGENT_NODE_MODULES, "x.js"));
const { createOpenAICompatible } = await import(pathToFileURL(require.resolve("@ai-sdk/openai-compatible")));

const want = process.env.WANT;
const model = createOpenAICompatible({ name: "lexagent", baseURL: process.argv[2], apiKey: "any", includeUsage: true }).chatModel("lexagent");
const prompt = [
  { role: "system", content: "简短" },
  { role: "user", content: [{ type: "text", text: "登记离婚后" }, { type: "text", text: "反悔了可以撤回吗？" }] },
];

const whole = await model.doGenerate({ prompt, temperature: 0, stopSequences: ["x"], maxOutputTokens: 500 });
assert.equal(whole.content.filter((c) => c.type === "text").map((c) => c.text).join(""), want);
assert.equal(whole.finishReason.unified ?? whole.finishReason, "stop");

const { stream } = await model.doStream({ prompt });
let text = "", finish = null;
for await (const part of stream) {
  assert.notEqual(part.type, "error", JSON.stringify(part));
  if (part.type === "text-delta") text += part.delta;
  if (part.type === "finish") finish = part;
}
assert.equal(text, want);
assert.equal(finish.finishReason.unified ?? finish.finishReason, "stop");
assert.equal(finish.usage.inputTokens.total ?? finish.usage.inputTokens, 812);
console.log("ok");
