// Drives a server with the official openai client; prints "ok" at the end.
// usage: node check.mjs BASE_URL, with the expected content in $WANT and the
// folder of the client in $LEXAGENT_NODE_MODULES
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.LEXAGENT_NODE_MODULES, "x.js"));
const OpenAI = require("openai");

const want = process.env.WANT;
const client = new OpenAI({ baseURL: process.argv[2], apiKey: "any", maxRetries: 0 });
const ask = { model: "lexagent", messages: [{ role: "user", content: "登记离婚后反悔了可以撤回吗？" }] };

const names = [];
for await (const m of client.models.list()) names.push(m.id);
assert.deepEqual(names, ["lexagent", "lexagent-search"]);

const whole = await client.chat.completions.create({ ...ask, as_of: "2024-05-01" });
assert.equal(whole.choices[0].message.content, want);
assert.equal(whole.choices[0].finish_reason, "stop");
assert.equal(whole.citations.length, 2);
assert.equal(whole.lexagent.as_of, "2024-05-01");

const chunks = [];
const stream = await client.chat.completions.create({ ...ask, stream: true, stream_options: { include_usage: true } });
for await (const c of stream) chunks.push(c);
assert.equal(new Set(chunks.map((c) => c.id)).size, 1);
assert.equal(chunks.map((c) => c.choices[0]?.delta.content ?? "").join(""), want);
assert.equal(chunks.at(-1).usage.total_tokens, 955);
assert.equal(chunks.at(-2).choices[0].finish_reason, "stop");
assert.equal(chunks.at(-2).verification.citations, "passed");

// The helper that gathers a stream is stricter about unknown fields.
const gathered = await client.chat.completions.stream(ask).finalChatCompletion();
assert.equal(gathered.choices[0].message.content, want);

await assert.rejects(client.chat.completions.create({ ...ask, model: "gpt-4o" }), (e) => e.status === 404 && e.code === "model_not_found");
await assert.rejects(client.chat.completions.create({ ...ask, n: 2 }), (e) => e.status === 400 && e.param === "n");

const left = await client.chat.completions.create({ ...ask, stream: true });
for await (const _ of left) break; // aborts the request
console.log("ok");
