import { setImmediate } from "node:timers/promises";
import type { Language } from "../../contract/accounts.ts";
import { escapeHtml } from "./escape-html.ts";
import type { OpenApi } from "./openapi.ts";

type Operation = OpenApi["paths"][string][string];

const PORTUGUESE = {
  title: "API do Recado",
  about: (code: string) => `Programas se identificam com ${code}. O documento completo, em OpenAPI 3.1:`,
  key: "chave",
  path: "no caminho",
  query: "na consulta",
  body: "Corpo",
  answer: "Resposta",
  open: "Aberto a todos",
  account: "Conta conectada",
  accountOrKey: "Conta conectada ou chave de API",
};
type Words = typeof PORTUGUESE;

const ENGLISH: Words = {
  title: "Recado API",
  about: (code) => `Programs identify themselves with ${code}. The complete document, in OpenAPI 3.1:`,
  key: "key",
  path: "in the path",
  query: "in the query",
  body: "Body",
  answer: "Answer",
  open: "Open to everybody",
  account: "Signed-in account",
  accountOrKey: "Signed-in account or API key",
};

/** OpenAPI as a page without scripts or external files; built in pieces. */
export async function docsPage(document: OpenApi, language: Language): Promise<string> {
  const t = language === "en" ? ENGLISH : PORTUGUESE;
  const groups = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags[0] ?? "";
      groups.set(tag, [...(groups.get(tag) ?? []), card(t, method.toUpperCase(), path, operation)]);
    }
    await setImmediate();
  }
  const sections = [...groups].map(
    ([tag, cards]) => `<h2 id="${tag}">${escapeHtml(tag)}</h2>${cards.join("")}`,
  );
  const links = [...groups.keys()].map((tag) => `<a href="#${tag}">${escapeHtml(tag)}</a>`);
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${t.title}</title><style>${STYLE}</style></head>
<body><main><h1>${t.title} <small>${escapeHtml(document.info.version)}</small></h1>
<p>${escapeHtml(document.info.description).replace(/`([^`]+)`/g, "<code>$1</code>")}</p>
<p>${t.about(`<code>Authorization: Bearer &lt;${t.key}&gt;</code>`)} <a href="/api/openapi.json">/api/openapi.json</a>.</p>
<nav>${links.join(" ")}</nav>${sections.join("\n")}</main></body></html>`;
}

function card(t: Words, method: string, path: string, operation: Operation): string {
  const parameters = (operation.parameters ?? []).map(
    ({ name, in: place, description }) =>
      `<li><code>${escapeHtml(String(name))}</code> (${place === "path" ? t.path : t.query})${typeof description === "string" ? `: ${escapeHtml(description)}` : ""}</li>`,
  );
  const success = Object.entries(operation.responses).find(([status]) => status !== "default");
  return `<article id="${operation.operationId}"><h3><b class="${method}">${method}</b> <code>${escapeHtml(path)}</code></h3>
<p>${escapeHtml(operation.summary)}</p><p class="who">${who(t, operation)}</p>
${parameters.length > 0 ? `<ul>${parameters.join("")}</ul>` : ""}
${block(t.body, operation.requestBody)}${success ? block(`${t.answer} ${success[0]}`, success[1]) : ""}</article>`;
}

function who(t: Words, { security }: Operation): string {
  if (security.length === 0) return t.open;
  return security.length > 1 ? t.accountOrKey : t.account;
}

function block(title: string, part: unknown): string {
  const content = part && typeof part === "object" && "content" in part ? part.content : undefined;
  if (!content || typeof content !== "object") return "";
  const [type, media] = Object.entries(content)[0] ?? ["", {}];
  return `<details><summary>${title} <code>${escapeHtml(type)}</code></summary>
<pre>${escapeHtml(JSON.stringify(media.schema ?? {}, null, 2))}</pre></details>`;
}

const STYLE = `
:root{color-scheme:light dark;--line:light-dark(#d9dfdb,#2c3531);--mute:light-dark(#56635c,#9aa8a0);--accent:light-dark(#0b7a4b,#4cc38a)}
body{font:16px/1.5 system-ui,sans-serif;margin:0}main{max-width:56rem;margin:0 auto;padding:1.5rem}
a{color:var(--accent)}nav a{margin-right:.75rem}small,.who{color:var(--mute);font-size:.875rem}
article{border:1px solid var(--line);border-radius:.5rem;padding:.75rem 1rem;margin:.75rem 0}h3{margin:0;font-size:1rem;overflow-wrap:anywhere}
article p,article ul{margin:.25rem 0}pre{overflow-x:auto;font-size:.8125rem;border-top:1px solid var(--line);padding-top:.5rem}
b.GET{color:var(--accent)}`;
