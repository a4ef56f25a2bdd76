"""Drives a server with the official openai client; prints "ok" at the end.

usage: check.py BASE_URL, with the expected content in $WANT
"""
import asyncio
import os
import sys

import openai

base, want = sys.argv[1], os.environ["WANT"]
client = openai.OpenAI(base_url=base, api_key="any", max_retries=0)
ask = dict(model="lexagent", messages=[{"role": "user", "content": [{"type": "text", "text": "登记离婚后反悔了可以撤回吗？"}]}])

assert [m.id for m in client.models.list()] == ["lexagent", "lexagent-search"]

whole = client.chat.completions.create(**ask, temperature=0, extra_body={"as_of": "2024-05-01", "levels": [1]})
message = whole.choices[0].message
assert message.content == want and message.role == "assistant", message
assert whole.choices[0].finish_reason == "stop" and whole.usage.total_tokens == 955, whole
assert len(message.annotations) == 3 and message.annotations[0].url_citation.title.startswith("《"), message.annotations
assert whole.citations[0]["id"] == "民法典@2020-05-28:1077" and whole.verification["citations"] == "passed"
assert whole.lexagent["as_of"] == "2024-05-01" and whole.lexagent["levels"] == [1], whole.lexagent

chunks = list(client.chat.completions.create(**ask, stream=True, stream_options={"include_usage": True}))
assert len({c.id for c in chunks}) == 1 and chunks[0].choices[0].delta.role == "assistant"
assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == want
reasons = [c.choices[0].finish_reason for c in chunks if c.choices]
assert reasons[-1] == "stop" and not any(reasons[:-1]), reasons
assert chunks[-1].choices == [] and chunks[-1].usage.total_tokens == 955 and not any(c.usage for c in chunks[:-1])
assert chunks[-2].citations[1]["label"] == "第一千零七十六条"
assert not any(c.usage for c in client.chat.completions.create(**ask, stream=True))

# The helper that gathers a stream is stricter about unknown fields.
with client.chat.completions.stream(**ask) as stream:
    for _ in stream:
        pass
    assert stream.get_final_completion().choices[0].message.content == want

for change, kind, param in [
    ({"model": "gpt-4o"}, openai.NotFoundError, "model"),
    ({"messages": []}, openai.BadRequestError, "messages"),
    ({"n": 2}, openai.BadRequestError, "n"),
    ({"extra_body": {"as_of": "soon"}}, openai.BadRequestError, "as_of"),
]:
    try:
        client.chat.completions.create(**{**ask, **change})
    except kind as e:
        assert e.param == param and e.code and e.request_id, (e, e.param)
    else:
        raise AssertionError(change)


async def leave():
    """A client that leaves a stream, and one that reads another at the same time."""
    async with openai.AsyncOpenAI(base_url=base, api_key="any", max_retries=0) as c:
        first = await c.chat.completions.create(**ask, stream=True)
        async for _ in first:
            break
        await first.close()
        second = await c.chat.completions.create(**ask)
        assert second.choices[0].message.content == want


asyncio.run(leave())
print("ok")
