import fc from "fast-check";
import { expect, test } from "vitest";
import { messageOf } from "./answering.ts";
import { whatsappFromMarkdown } from "./whatsapp-markdown.ts";

test.each<[title: string, markdown: string, whatsapp: string]>([
  ["bold", "Temos **duas** lojas", "Temos *duas* lojas"],
  ["bold with underscores", "__Atenção__: hoje", "*Atenção*: hoje"],
  ["bold and italic", "***só hoje***", "*_só hoje_*"],
  ["struck through", "de ~~R$ 90~~ por R$ 50", "de ~R$ 90~ por R$ 50"],
  ["bold that a word follows", "**Preço:**R$ 50", "*Preço:* R$ 50"],
  ["bold within a word, which WhatsApp does not draw", "des**conto**s e **pré**pago", "descontos e prépago"],
  ["a sum", "2**3**4", "2**3**4"],
  ["a heading", "## Nossos **preços** ##", "*Nossos preços*"],
  ["a heading with an address", "# [Loja](https://a.exemplo)", "*Loja: https://a.exemplo*"],
  ["a link", "Veja [o catálogo](https://a.exemplo/_x_).", "Veja o catálogo: https://a.exemplo/_x_."],
  ["a bold link", "**[Comprar](https://a.exemplo)**", "*Comprar: https://a.exemplo*"],
  [
    "a link that says itself",
    "[a.exemplo](https://a.exemplo/) <https://b.exemplo>",
    "https://a.exemplo/ https://b.exemplo",
  ],
  [
    "a link with brackets and a title",
    '[Mapa](https://a.exemplo/b_(c) "Como chegar")',
    "Mapa (Como chegar): https://a.exemplo/b_(c)",
  ],
  [
    "an e-mail and a number",
    "[Escreva](mailto:oi@a.exemplo) ou [ligue](tel:+551130001000)",
    "Escreva: oi@a.exemplo ou ligue: +551130001000",
  ],
  ["what is no link", "[opção](ver abaixo) e [nota](1)", "[opção](ver abaixo) e [nota](1)"],
  ["a picture", "![Fachada](https://a.exemplo/f.jpg)", "Fachada: https://a.exemplo/f.jpg"],
  ["lists", "* **Sol**: sim\n+ Mar\n  + Ilha\n1. Um", "* *Sol*: sim\n- Mar\n  - Ilha\n1. Um"],
  ["a quote", "> **disse**", "> *disse*"],
  ["a rule", "Um\n\n---\n\nDois\n***\nTrês", "Um\n\nDois\n\nTrês"],
  ["code with its language", '```json\n{"a": "**b**"}\n```', '```\n{"a": "**b**"}\n```'],
  ["code between other signs", "~~~\n# a\n~~~", "```\n# a\n```"],
  ["code in a line", "use `**kwargs**` e `__init__`", "use `**kwargs**` e `__init__`"],
  ["escaped signs", "R\\$ 50 \\* nome\\_do\\_arquivo ¯\\_(ツ)_/¯", "R$ 50 * nome_do_arquivo ¯\\_(ツ)_/¯"],
  ["line ends of HTML", "Rua 1<br>Rua 2<br/>Rua 3", "Rua 1\nRua 2\nRua 3"],
  [
    "a table of two columns",
    "| Loja | Hora |\n|---|:-:|\n| **Sul** | 9h |\n| Norte | 10h |\n\nAté",
    "*Loja: Hora*\n- Sul: 9h\n- Norte: 10h\n\nAté",
  ],
  [
    "a table of three",
    "Produto | Cor | Preço\n--- | --- | ---\nLua | azul | R\\$ 50\nSol | | [ver](https://a.exemplo)",
    "*Produto: Lua*\n- Cor: azul\n- Preço: R$ 50\n*Produto: Sol*\n- Preço: ver: https://a.exemplo",
  ],
  ["bars that are no table", "segunda | terça\nquarta | quinta", "segunda | terça\nquarta | quinta"],
  ["a fence that is never closed", "```js\n**a**", "```js\n*a*"],
])("an agent's Markdown: %s", (_title, markdown, whatsapp) => {
  expect(whatsappFromMarkdown(markdown)).toBe(whatsapp);
  if (!whatsapp.includes("**")) expect(whatsappFromMarkdown(whatsapp)).toBe(whatsapp);
});

test("text in WhatsApp's own marks, and text without any, stays letter for letter", () => {
  for (const text of [
    "*Oi*, _tudo_ bem? ~não~ ```ok``` `x`\n> citado\n- um\n* dois\n1. três",
    "```\n- código\n```",
    "```a\nb```",
    "Nome: ______ e ____ (a_b_c), 2 * 3 * 4, #promo, C:\\dados",
    "\n\nOi\n\n\n  espaço  \n",
  ])
    expect(whatsappFromMarkdown(text)).toBe(text);
  const parts = [
    "Oi",
    " ",
    "\n",
    "*",
    "_",
    "~",
    "`",
    "- ",
    "1. ",
    "> ",
    "ção",
    "!",
    "(",
    ")",
    ":",
    "https://a.exemplo/_b_",
    "🐝",
  ];
  const plain = fc
    .array(fc.constantFrom(...parts), { maxLength: 30 })
    .map((all) => all.join(""))
    .filter((text) => !/\*\*|__|~~|`{3}|[*_-][ \t]*[*_-][ \t]*[*_-]/.test(text));
  fc.assert(
    fc.property(plain, (text) => {
      expect(whatsappFromMarkdown(text)).toBe(text);
    }),
    { numRuns: 3_000 },
  );
});

test("no word of an answer is lost, however its signs are put together", () => {
  const around = fc.constantFrom(
    ...[
      "**",
      "*",
      "__",
      "_",
      "~~",
      "`",
      "***",
      "\n",
      "\n# ",
      "\n- ",
      "\n```\n",
      "|",
      "\n|---|---|\n",
      "\n---\n",
    ],
    ...[" ", "[", "](https://a.exemplo/x)", "![", "<br>", "> ", "\\", "(", ")"],
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(around, around), { minLength: 1, maxLength: 12 }), (signs) => {
      const words = signs.map((_, at) => `palavra${String.fromCharCode(97 + at)}`);
      const answer = signs.map(([before, after], at) => before + (words[at] ?? "") + after).join("");
      const drawn = whatsappFromMarkdown(answer);
      expect(words.filter((word) => !drawn.includes(word))).toEqual([]);
    }),
    { numRuns: 3_000 },
  );
});

test("an answer of 400,000 signs is turned at once, whatever they are", () => {
  const parts = [
    "**a ",
    "__a__",
    "[",
    "[a](",
    "[a](b",
    "![a](https://a.b",
    "|",
    "|-",
    "- ",
    "* ",
    "# ",
    "`",
    "~~~\n",
    "\\",
    "<https://a",
    "***a",
    "a|b\n-|-\n",
  ];
  for (const part of parts)
    expect(whatsappFromMarkdown(part.repeat(400_000 / part.length))).toBeTypeOf("string");
});

test("what goes to a customer is turned before it is shortened to what WhatsApp takes", () => {
  expect(messageOf("## Oi\n**Tudo** bem?\n", false)).toBe("*Oi*\n*Tudo* bem?");
  expect(messageOf("**a** ".repeat(1_000), false)).toHaveLength(3_999);
});
