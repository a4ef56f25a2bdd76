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
  const key = sessionStorage.getItem("key");
  if (key) init = { ...init, headers: { ...init?.headers, Authorization: "Bearer " + key } };
  try {
    res = await fetch(path, init);
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw new Problem({ code: "network", message: String(e.message) }, 0);
  }
  if (!res.ok && path !== "/readyz") {
    if (res.status === 401) window.dispatchEvent(new Event("key"));
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

/** documents lists those of a collection; remove returns the job that takes one out. */
export const documents = async (collection) => (await request("/v1/documents?" + new URLSearchParams({ collection }))).json();
export const remove = async (collection, name) => (await request("/v1/documents/" + encodeURIComponent(name) + "?" + new URLSearchParams({ collection }), { method: "DELETE" })).json();

/** feedback says what a reader thinks of an answer. */
export const feedback = async (body) => request("/v1/feedback", post(body));

export const hasReports = () => fetch("/reports/", { method: "HEAD" }).then((r) => r.ok, () => false);
export const takesFeedback = () => request("/v1/feedback", { method: "OPTIONS" }).then(() => true, () => false);

// seen is the part of an address that names what a look-up may see.
const seen = () => "?collections=" + encodeURIComponent(collections().join(","));

/**
 * ask streams an answer: it calls onChunk with each chunk, and returns whether the
 * stream came to its end. A connection that is lost is taken up again where it broke,
 * as long as the server keeps the stream.
 */
export async function ask(body, signal, onChunk) {
  const place = { last: "" }; // id of the last event
  const id = () => encodeURIComponent(place.last.split(".")[0]);
  signal.addEventListener("abort", () => { if (place.last) request("/v1/chat/streams/" + id(), { method: "DELETE" }).catch(() => {}); });
  let res = await request("/v1/chat/completions", post({ ...body, stream: true, resumable: true }, signal));
  for (let tries = 0; ; ) {
    const before = place.last;
    try {
      if (await follow(res, place, onChunk)) return true;
    } catch (e) {
      if (e instanceof Problem || signal.aborted) throw e;
    }
    if (place.last !== before) tries = 0;
    for (res = null; res === null; ) {
      if (!place.last || tries >= pauses.length) return false;
      await new Promise((r) => setTimeout(r, pauses[tries++]));
      try {
        res = await request("/v1/chat/streams/" + id(), { headers: { "Last-Event-ID": place.last }, signal });
      } catch (e) {
        if (e.code !== "network") throw e;
      }
    }
  }
}

const pauses = [200, 1000, 2000, 4000, 6000]; // milliseconds; together less than the server waits

// follow reads one connection, and returns whether the stream ended there.
async function follow(res, place, onChunk) {
  const reader = res.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return false;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const field = (name) => event.split("\n").filter((l) => l.startsWith(name + ":")).map((l) => l.slice(name.length + 1).trim()).join("\n");
      place.last = field("id") || place.last;
      const data = field("data");
      if (data === "[DONE]") return true;
      if (data === "") continue;
      const chunk = JSON.parse(data);
      if (chunk.error) throw new Problem(chunk.error, 200);
      onChunk(chunk);
    }
  }
}
