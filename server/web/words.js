// What the page says, in Chinese and in English. Statutes are Chinese in both.

const zh = {
  skip: "跳到正文", nav: "栏目", ask: "提问", search: "检索", laws: "法律",
  title: "法律问答", lead: "向法律条文提问", sub: "回答只以收录的现行法律为据，逐条核验引用，可点开原文。",
  placeholder: "例如：登记离婚后反悔了，还能撤回吗？", followUp: "继续追问…", send: "提问", stop: "停止", again: "新的问题", options: "选项",
  model: "回答方式", model_lexagent: "检索、起草、核验", "model_lexagent-agent": "由语言模型自行查找", "model_lexagent-search": "只摘录原文，不用语言模型",
  asOf: "适用哪一天的法律", today: "留空为今天",
  examples: ["公司一直没和我签书面劳动合同，能要求赔偿吗？", "登记离婚后反悔了，三十日内能撤回申请吗？", "民法典第一千零七十七条是怎么规定的？"],
  you: "问", answer: "答",
  step_understand: "理解问题", step_retrieve: "查找条文", step_draft: "起草回答", step_verify: "核验引用", step_supplement: "补充检索", step_plan: "计划", step_tool: "调用工具",
  found: (n) => `找到 ${n} 条`,
  kind_generated: "由语言模型据条文起草，引用已核验", kind_extractive: "条文原文摘录，未使用语言模型", kind_abstained: "书中未找到依据",
  sources: "依据", checked: (n) => `已核验 ${n} 处引用`, allGood: "均真实存在、现行有效并在检索到的条文之中",
  notChecked: "引用未能核验", failed: (n) => `${n} 处引用未通过核验`, removed: (n) => `移除了 ${n} 段未通过核验的文字`,
  disclaimer: "供参考，不构成法律意见。",
  verdict_exists: "存在", verdict_not_in_evidence: "不在检索到的条文中", verdict_no_such_article: "无此条", verdict_no_such_law: "未收录此法", verdict_not_in_force: "当日不生效", verdict_not_checked: "未能核验",
  verdict_no_such_paragraph: "无此款项", verdict_stitched: "引文有省略", verdict_altered: "引文与原文不符", verdict_elsewhere: "引文出自别处", verdict_nowhere: "查无此文", verdict_not_found: "依据中无此数字",
  verdict_no_support: "依据中无此内容", verdict_reversed: "与条文相反", verdict_misplaced: "条号有误", verdict_other_party: "主体不同", verdict_left_out: "有遗漏",
  stopped: "已停止。", lost: "连接中断，回答不完整。",
  searchLead: "检索条文", searchHint: "问题、关键词，或直接点名条文：民法典1077", find: "检索", none: "没有找到相关条文。", took: (n, ms) => `${n} 条 · ${ms} 毫秒`,
  mode: "方式", mode_: "默认", mode_bm25: "词语", mode_dense: "语义", mode_hybrid: "词语＋语义", direct: "已按点名的条文查到",
  lawsLead: "法律汇编", lawsHint: "按名称筛选", allLevels: "全部层级", total: (n) => `共 ${n} 部`, more: "再显示一些", noLaws: "没有名称相符的法律。",
  upload: "资料", reports: "实验报告", otherLanguage: "English",
  why: "为何可信", whyExists: "已在法律汇编中查到此条", whyStatus: (s) => `所问之日：${s}`, whyFound: "在本次检索到的条文之中", verdict_verbatim: "与原文一致", verdict_found: "有据",
  versions: (n) => `历次版本（${n}）`, compare: "比较", sameText: "两个版本的文字相同。", fromTo: (a, b) => `${a} → ${b}：删除线为旧文，下划线为新文（按条号对比）`, noSuchNumber: "没有这一条",
  relations: "引用关系", citedBy: (n) => `被 ${n} 处引用`, cites: (n) => `引用 ${n} 处`, kind_amends: "修改", kind_repeals: "废止", reason_no_law: "未收录", reason_no_article: "无此条", reason_unclear: "所指不明", stale: "被引法律其后有修订，条号可能已变动",
  neighbours: "前后条文", goTo: "第几条", goToHint: "1077", go: "跳转",
  uploadLead: "自己的资料", uploadSub: "规章、合同范本等可以上传后一并检索。它们只属于所选的资料集，不会混入法律汇编。", collection: "资料集", collectionHint: "小写字母、数字、- 和 _", files: "文件", uploadSend: "上传", uploadTypes: "Word、PDF（有文字层）、Markdown、纯文本、HTML 或 JSON Lines，每次最多 16 个。",
  job_queued: "排队中", job_running: "处理中", job_done: "完成，已可检索", job_failed: "失败", kept: "资料集中的文件", remove: "删除", removeSure: "再按一次即删除", job_removed: "已删除，不再检索",
  stage_read: "读取", stage_prune: "整理", stage_chunk: "切分", stage_cite: "查找引用", stage_index: "建立索引", stage_vectors: "计算向量", stage_publish: "发布", stage_intents: "判断条文类别",
  report: (r) => `读到 ${r.laws} 份文件、${r.units} 个单元（${r.articles} 条），新增 ${r.new}，替换 ${r.replaced}；覆盖 ${(100 * r.coverage.share).toFixed(1)} % 的文字`,
  key: "API 密钥", useKey: "使用",
  rate_up: "有帮助", rate_down: "有问题", reason: "哪里不对？（可不填）", sendReason: "提交", thanks: "谢谢，已记录。",
  ownCollections: "同时检索自己的资料", contents: "目录", articles: (n) => `${n} 条`, fullText: "全文",
  close: "关闭", prev: "上一条", next: "下一条", toLaw: "查看全法目录", copy: "复制引用", copied: "已复制", loading: "读取中…",
  version: (d) => `${d} 版本`, noVersion: "版本日期不详", effective: (d) => `${d} 起施行`, ended: (d) => `${d} 起失效`, replacedBy: "见", asOfDay: (d) => `效力以 ${d} 为准`,
  status_in_force: "现行有效", status_not_yet: "尚未生效", status_repealed: "已废止", status_superseded: "已被新版本取代", status_unknown: "效力不明",
  intent: (word) => `类别（自动判断）：${word}`, intents: { definition: "定义", applicability: "适用条件", consequence: "法律后果", procedure: "程序", others: "其他" },
  levels: ["宪法", "法律", "行政法规", "地方性法规", "规章", "司法解释", "其他文件"],
  building: (p) => `向量索引构建中 ${p} %，目前按词语检索，可以正常使用。`, starting: "正在启动，请稍候…", noLLM: "未配置语言模型：回答为条文原文摘录。", down: "无法连接服务器，正在重试…",
  errors: { busy: "现在提问的人太多，请稍后再试。", unavailable: "所需的服务暂时不可用，请稍后再试。", stopping: "服务器正在重启，请稍后再试。", timeout: "用时过长，已中止。请换个问法再试。", not_found: "没有收录此条文或法律。", internal_error: "服务器出错了。", request_too_large: "内容过长。", network: "无法连接服务器。", stream_gone: "连接中断，回答不完整。请再问一次。", invalid_api_key: "此服务器需要 API 密钥。", insufficient_scope: "此密钥无权进行这项操作。", collection_not_allowed: "此密钥无权查看所选资料集。", unreadable_document: "文件无法读取。", unsupported_file_type: "不支持此类文件。" },
};

const en = {
  skip: "Skip to content", nav: "Sections", ask: "Ask", search: "Search", laws: "Laws",
  title: "Questions on Chinese law", lead: "Ask the statutes", sub: "Answers rest on the statutes in this book only. Every citation is checked and opens the original text.",
  placeholder: "For example: 登记离婚后反悔了，还能撤回吗？", followUp: "Ask further…", send: "Ask", stop: "Stop", again: "New question", options: "Options",
  model: "Way of answering", model_lexagent: "retrieve, draft, check", "model_lexagent-agent": "the language model looks things up", "model_lexagent-search": "extracts only, no language model",
  asOf: "Law as of", today: "empty = today",
  examples: zh.examples, you: "Q", answer: "A",
  step_understand: "Understand", step_retrieve: "Retrieve", step_draft: "Draft", step_verify: "Verify", step_supplement: "Search again", step_plan: "Plan", step_tool: "Tool",
  found: (n) => `${n} articles found`,
  kind_generated: "Drafted by a language model from the articles; citations checked", kind_extractive: "Extracts of the articles, no language model", kind_abstained: "Nothing in the book answers this",
  sources: "Sources", checked: (n) => `${n} references checked`, allGood: "all exist, are in force and were retrieved",
  notChecked: "References could not be checked", failed: (n) => `${n} references failed the check`, removed: (n) => `${n} passages that failed were removed`,
  disclaimer: "For information; not legal advice.",
  verdict_exists: "exists", verdict_not_in_evidence: "not retrieved", verdict_no_such_article: "no such article", verdict_no_such_law: "law not in the book", verdict_not_in_force: "not in force that day", verdict_not_checked: "not checked",
  verdict_no_such_paragraph: "no such paragraph", verdict_stitched: "quoted in parts", verdict_altered: "misquoted", verdict_elsewhere: "quoted from elsewhere", verdict_nowhere: "in no article", verdict_not_found: "figure not in the evidence",
  verdict_no_support: "nothing says so", verdict_reversed: "the article says otherwise", verdict_misplaced: "another article says so", verdict_other_party: "another party", verdict_left_out: "something is left out",
  stopped: "Stopped.", lost: "The connection broke; the answer is incomplete.",
  searchLead: "Search the statutes", searchHint: "A question, keywords, or an article by name: 民法典1077", find: "Search", none: "No article was found.", took: (n, ms) => `${n} results · ${ms} ms`,
  mode: "Mode", mode_: "default", mode_bm25: "words", mode_dense: "meaning", mode_hybrid: "words + meaning", direct: "Found by the article named",
  lawsLead: "The statute book", lawsHint: "Filter by title", allLevels: "All levels", total: (n) => `${n} laws`, more: "Show more", noLaws: "No law has such a title.",
  upload: "Documents", reports: "Reports", otherLanguage: "中文",
  why: "Why it may be cited", whyExists: "It was looked up in the statute book", whyStatus: (s) => `On the day asked about: ${s}`, whyFound: "It was among the articles retrieved", verdict_verbatim: "word for word", verdict_found: "borne out",
  versions: (n) => `Versions (${n})`, compare: "Compare", sameText: "Both versions have the same text.", fromTo: (a, b) => `${a} → ${b}: struck out is the old text, underlined the new (compared by number)`, noSuchNumber: "no such article",
  relations: "Citations", citedBy: (n) => `cited in ${n} places`, cites: (n) => `cites ${n}`, kind_amends: "amends", kind_repeals: "repeals", reason_no_law: "not in the book", reason_no_article: "no such article", reason_unclear: "unclear", stale: "the cited law was amended later; the number may have moved",
  neighbours: "Neighbouring articles", goTo: "Article", goToHint: "1077", go: "Go",
  uploadLead: "Your documents", uploadSub: "Rules, contracts and the like can be searched too. They belong to their collection alone and never mix with the law.", collection: "Collection", collectionHint: "small letters, digits, - and _", files: "Files", uploadSend: "Upload", uploadTypes: "Word, PDF with a text layer, Markdown, plain text, HTML or JSON Lines; up to 16 at a time.",
  job_queued: "Waiting", job_running: "In work", job_done: "Done, and searchable", job_failed: "Failed", kept: "Documents in the collection", remove: "Delete", removeSure: "Press again to delete", job_removed: "Deleted, and no longer searched",
  stage_read: "reading", stage_prune: "tidying", stage_chunk: "cutting", stage_cite: "citations", stage_index: "index", stage_vectors: "vectors", stage_publish: "publishing", stage_intents: "what articles are for",
  report: (r) => `${r.laws} documents, ${r.units} units (${r.articles} articles) read; ${r.new} new, ${r.replaced} replaced; ${(100 * r.coverage.share).toFixed(1)} % of the text covered`,
  key: "API key", useKey: "Use it",
  rate_up: "Helpful", rate_down: "Not right", reason: "What is wrong? (optional)", sendReason: "Send", thanks: "Thank you, noted.",
  ownCollections: "Search my documents too", contents: "Contents", articles: (n) => `${n} articles`, fullText: "Full text",
  close: "Close", prev: "Previous", next: "Next", toLaw: "The whole law", copy: "Copy citation", copied: "Copied", loading: "Loading…",
  version: (d) => `version of ${d}`, noVersion: "version date unknown", effective: (d) => `in force from ${d}`, ended: (d) => `ended ${d}`, replacedBy: "see", asOfDay: (d) => `status as of ${d}`,
  status_in_force: "In force", status_not_yet: "Not yet in force", status_repealed: "Repealed", status_superseded: "Superseded", status_unknown: "Status unknown",
  intent: (word) => `kind (told automatically): ${word}`, intents: { definition: "definition", applicability: "applicability", consequence: "consequence", procedure: "procedure", others: "other" },
  levels: ["Constitution", "Statute", "Administrative regulation", "Local regulation", "Rule", "Judicial interpretation", "Other document"],
  building: (p) => `Building the vector index: ${p} %. Search by words works meanwhile.`, starting: "Starting…", noLLM: "No language model is configured: answers are extracts of the articles.", down: "The server can't be reached; trying again…",
  errors: { busy: "Too many questions right now; try again shortly.", unavailable: "Something that this needs is not available; try again shortly.", stopping: "The server is restarting; try again shortly.", timeout: "It took too long. Try to ask differently.", not_found: "This is not in the book.", internal_error: "Something went wrong on the server.", request_too_large: "The text is too long.", network: "The server can't be reached.", stream_gone: "The connection broke; the answer is incomplete. Ask again.", invalid_api_key: "This server asks for an API key.", insufficient_scope: "This key may not do that.", collection_not_allowed: "This key does not see all of the chosen collections." },
};

export const language = localStorage.getItem("language") ?? (navigator.language.toLowerCase().startsWith("en") ? "en" : "zh");

/** switchLanguage begins the page anew in the other language. */
export function switchLanguage() {
  localStorage.setItem("language", language === "en" ? "zh" : "en");
  location.reload();
}

const words = language === "en" ? en : zh;

/** t says a word, with arguments where it wants some. */
export function t(key, ...args) {
  const word = words[key];
  return typeof word === "function" ? word(...args) : word ?? key;
}

/** explain words an error of the API for a reader; what is wrong with a file only the server's words say. */
export function explain(error) {
  const word = words.errors[error.code];
  const detail = ["unreadable_document", "unsupported_file_type"].includes(error.code) ? error.message : "";
  return [word, detail].filter(Boolean).join(" ") || error.message || words.errors.internal_error;
}

/** ms words a duration given in milliseconds. */
export function ms(n) {
  if (n < 1) return "<1 ms";
  return n < 1000 ? `${Math.round(n)} ms` : `${(n / 1000).toFixed(1)} s`;
}
