// How two versions of an article differ, in characters.

const most = 6000; // characters of a side that are compared one by one; longer texts are compared by lines

/** diff returns the pieces of both texts in order: [{kind: "same" | "gone" | "new", text}]. */
export function diff(before, after) {
  const whole = before.length > most || after.length > most;
  const cut = (text) => (whole ? text.split(/(?<=\n)/) : Array.from(text));
  const a = cut(before), b = cut(after);
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const pieces = [];
  const put = (kind, parts) => {
    const text = parts.join("");
    if (text === "") return;
    if (pieces.at(-1)?.kind === kind) pieces.at(-1).text += text;
    else pieces.push({ kind, text });
  };
  put("same", a.slice(0, head));
  for (const [kind, part] of middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail))) put(kind, [part]);
  put("same", a.slice(a.length - tail));
  return pieces;
}

// middle walks a longest common subsequence.
function middle(a, b) {
  const width = b.length + 1;
  const length = new Uint16Array((a.length + 1) * width); // of the longest one from (i, j) on
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i * width + j] = a[i] === b[j] ? length[(i + 1) * width + j + 1] + 1 : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
  }
  const out = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) out.push(["same", a[i++]]), j++;
    else if (i < a.length && (j === b.length || length[(i + 1) * width + j] >= length[i * width + j + 1])) out.push(["gone", a[i++]]);
    else out.push(["new", b[j++]]);
  }
  return out;
}
