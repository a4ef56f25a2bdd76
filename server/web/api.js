// The server, as the page uses it: the public API and nothing else.

import { collections } from "./own.js";

/** Problem is an error of the API: {code, message, status}. */
export class Problem extends Error {
  constructor(error, status) {
    super(error.message);
    this.code = error.code ?? "";
    this.status = status;
  }
}

async function request(path, init) {
  let res;
  try {
    res = await fetch(path, init);
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw new Problem({ code: "network", message: String(e.message) }, 0);
  }
  if (!res.ok && path !== "/readyz") {
    const body = await res.json().catch(() => ({}));
    throw new Problem(body.error ?? { message: res.statusText }, res.status);
  }
  return res;
}

const post = (body, signal) => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });

export const ready = async () => (await request("/readyz")).json();
export const search = async (body) => (await request("/v1/search", post(body))).json();
export const article = async (id) => (await request("/v1/articles/" + encodeURIComponent(id) + seen())).json();
export const versions = async (id) => (await request("/v1/articles/" + encodeURIComponent(id) + "/versions" + seen())).json();
export const citations = async (id) => (await request("/v1/articles/" + encodeURIComponent(id) + "/citations" + seen())).json();
export const job = async (id) => (await request("/v1/jobs/" + encodeURIComponent(id))).json();
export const law = async (id) => (await request("/v1/laws/" + encodeURIComponent(id) + seen())).json();
export const laws = async (query) => (await request("/v1/laws?" + new URLSearchParams({ ...query, collections: collections().join(",") }))).json();

/** upload brings files into a collection and returns the job that reads them. */
export async function upload(collection, files) {
  const body = new FormData();
  body.append("collection", collection);
  for (const f of files) body.append("file", f);
  return (await request("/v1/documents", { method: "POST", body })).json();
}

/** feedback says what a reader thinks of an answer. */
export const feedback = async (body) => request("/v1/feedback", post(body));

export const takesFeedback = () => request("/v1/feedback", { method: "OPTIONS" }).then(() => true, () => false);

// seen is the part of an address that names what a look-up may see.
const seen = () => "?collections=" + encodeURIComponent(collections().join(","));

/** ask streams an answer: it calls onChunk with each chunk, and returns whether the stream came to its end. */
export async function ask(body, signal, onChunk) {
  const res = await request("/v1/chat/completions", post({ ...body, stream: true }, signal));
  const reader = res.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return false;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const data = event.split("\n").filter((l) => l.startsWith("data:")).map((l) => l.slice(5).trim()).join("\n");
      if (data === "[DONE]") return true;
      if (data === "") continue;
      const chunk = JSON.parse(data);
      if (chunk.error) throw new Problem(chunk.error, 200);
      onChunk(chunk);
    }
  }
}
