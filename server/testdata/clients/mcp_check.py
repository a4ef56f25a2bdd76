"""Drives an MCP server over the laws of tools/testdata with the official client; prints "ok" at the end.

usage: mcp_check.py URL, or mcp_check.py COMMAND ARGUMENT…
"""
import asyncio
import json
import sys
from urllib.parse import quote

from mcp import Client, MCPError, StdioServerParameters

ID = "示范用工条例@2022-03-01:3"


async def check(mode):
    target = sys.argv[1] if sys.argv[1].startswith("http") else StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with Client(target, mode=mode, read_timeout_seconds=30) as c:
        names = [t.name for t in (await c.list_tools()).tools]
        assert names == ["check_citations", "get_article", "law_status", "list_law", "search_documents", "search_statutes",
                         "trace_citations", "verify_answer"], names
        assert "search_statutes" in c.instructions

        found = await c.call_tool("search_statutes", {"query": "试用期最长多久", "k": 2})
        hits = json.loads(found.content[0].text)["hits"]
        assert not found.is_error and hits[0]["id"] == ID, hits
        wrong = await c.call_tool("get_article", {"article": "示范用工条例第99条"})
        assert wrong.is_error and "最后一条是第八条" in wrong.content[0].text, wrong
        several = await asyncio.gather(*(c.call_tool("get_article", {"article": f"示范用工条例:{n}"}) for n in range(1, 9)))
        assert [json.loads(r.content[0].text)["articles"][0]["id"][-1] for r in several] == list("12345678")

        templates = [t.uri_template for t in (await c.list_resource_templates()).resource_templates]
        assert templates == ["article://{+id}", "law://{+law}"], templates
        uris = ["article://" + quote(ID, safe=""), "article://" + quote(ID)]
        if mode == "legacy":  # the other protocol has URIs in headers too, where the client and the server of the SDKs differ
            uris.append("article://" + ID)
        for uri in uris:
            article = json.loads((await c.read_resource(uri)).contents[0].text)
            assert article["id"] == ID and article["next"]["label"] == "第四条", article
        law = json.loads((await c.read_resource("law://" + quote("示范用工条例"))).contents[0].text)
        assert len(law["units"]) == 8 and law["status"] == "in_force", law
        try:
            await c.read_resource("article://" + quote("示范用工条例:99"))
        except MCPError as e:
            assert "not found" in str(e).lower(), e
        else:
            raise AssertionError("an article that is not there was read")


for mode in ("auto", "legacy"):
    asyncio.run(check(mode))
print("ok")
