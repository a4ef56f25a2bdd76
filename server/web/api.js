// The server, as the page uses it: the public API and nothing else.

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
export const article = async (id) => (await request("/v1/articles/" + encodeURIComponent(id))).json();
export const law = async (id) => (await request("/v1/laws/" + encodeURIComponent(id))).json();
export const laws = async (query) => (await request("/v1/laws?" + new URLSearchParams(query))).json();

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
