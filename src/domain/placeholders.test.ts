import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { distinctPlaceholders, findPlaceholders, replacePlaceholder } from "./placeholders.ts";

const found = (text: string) => findPlaceholders(text).map((one) => [one.found, one.replacement]);
const FIRST = "{primeiro_nome}";
const NAME = "{nome}";
const LAST = "{sobrenome}";

describe("found, with what says the same here", () => {
  test.each<[text: string, found: string, replacement: string | null]>([
    ["Olá {saudacao}!", "{saudacao}", null],
    ["Olá {{name}}", "{{name}}", NAME],
    ["Olá {{nome}}", "{{nome}}", NAME],
    ["Olá {{ nome }}!", "{{ nome }}", NAME],
    ["Olá { nome }", "{ nome }", NAME],
    ["Olá {nome_completo}", "{nome_completo}", NAME],
    ["Olá {nome completo}", "{nome completo}", NAME],
    ["Olá {Nome do Cliente}", "{Nome do Cliente}", NAME],
    ["Olá {{firstName}}", "{{firstName}}", FIRST],
    ["Olá {first_name}", "{first_name}", FIRST],
    ["Olá {primeiroNome}", "{primeiroNome}", FIRST],
    ["Olá {primeiro nome}", "{primeiro nome}", FIRST],
    ["Olá { primeiro_nome }", "{ primeiro_nome }", FIRST],
    ["Olá {{contact.first_name}}", "{{contact.first_name}}", FIRST],
    ["Olá {{contact.name}}", "{{contact.name}}", NAME],
    ["Olá {{ nome | capitalize }}", "{{ nome | capitalize }}", NAME],
    ["Olá {{nome|cliente}}", "{{nome|cliente}}", NAME],
    ["Olá {nome|cliente}", "{nome|cliente}", NAME],
    ["Olá {{{nome}}}", "{{{nome}}}", NAME],
    ["Olá {{nome}", "{{nome}", NAME],
    ["Olá {nome}}", "{nome}}", NAME],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what another sender's text looks like
    ["Olá ${nome}!", "${nome}", NAME],
    ["Olá #{nome}", "#{nome}", NAME],
    ["Olá %{nome}", "%{nome}", NAME],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what another sender's text looks like
    ["Só R${valor}", "{valor}", null],
    ["Olá {cliente}", "{cliente}", NAME],
    ["Olá {nome1}", "{nome1}", NAME],
    ["{sobrenome}", "{sobrenome}", null],
    ["{Sobrenome}", "{Sobrenome}", null],
    ["{{sobrenome}}", "{{sobrenome}}", LAST],
    ["Olá [Sobrenome]", "[Sobrenome]", LAST],
    ["Olá [Sobrenome do Cliente]", "[Sobrenome do Cliente]", LAST],
    ["Olá {{last_name}}", "{{last_name}}", LAST],
    ["Olá {{contact.lastName}}", "{{contact.lastName}}", LAST],
    ["Olá *|LNAME|*", "*|LNAME|*", LAST],
    ["Aqui é [Seu Sobrenome]", "[Seu Sobrenome]", null],
    ["{empresa}", "{empresa}", null],
    ["{qualquer coisa}", "{qualquer coisa}", null],
    ["{1}", "{1}", null],
    ["{}", "{}", null],
    ["{😀}", "{😀}", null],
    ["{Oi|Olá}", "{Oi|Olá}", "Oi"],
    ["{Oi|Olá|E aí}, {nome}!", "{Oi|Olá|E aí}", "Oi"],
    ["{Oi {nome}|Olá}", "{Oi {nome}|Olá}", "Oi {nome}"],
    ["{Oi|{Olá|E aí}}", "{Oi|{Olá|E aí}}", "Oi"],
    ["{{Oi|Olá} você|E aí}", "{{Oi|Olá} você|E aí}", "Oi você"],
    ["{Bom {dia|tarde}|Olá}", "{Bom {dia|tarde}|Olá}", "Bom dia"],
    ["{|Oi}", "{|Oi}", ""],
    ["{Oi\n|Olá}", "{Oi\n|Olá}", "Oi\n"],
    ['{"a": {"b": 1}}', '{"a": {"b": 1}}', null],
    ["Olá {nome, tudo bem?", "{nome", null],
    ["Olá [Nome], tudo", "[Nome]", NAME],
    ["Olá [NOME DO CLIENTE]", "[NOME DO CLIENTE]", NAME],
    ["Olá [[nome]]", "[[nome]]", NAME],
    ["Aqui é [Seu Nome]", "[Seu Nome]", null],
    ["da [Nome da Empresa]", "[Nome da Empresa]", null],
    ["em [data] às", "[data]", null],
    ["Olá [First Name]", "[First Name]", FIRST],
    ["Olá [Your Name]", "[Your Name]", null],
    ["Olá %nome%", "%nome%", NAME],
    ["Olá %%nome%%", "%%nome%%", NAME],
    ["Olá %FIRSTNAME%", "%FIRSTNAME%", FIRST],
    ["Olá <nome>", "<nome>", NAME],
    ["Olá <<Nome>>", "<<Nome>>", NAME],
    ["Olá <%= nome %>", "<%= nome %>", NAME],
    ["Olá $nome, tudo", "$nome", NAME],
    ["Olá $nome$", "$nome$", NAME],
    ["Olá $primeiro_nome!", "$primeiro_nome", FIRST],
    ["Olá #NOME#", "#NOME#", NAME],
    ["Olá ##nome##", "##nome##", NAME],
    ["Olá *|FNAME|*", "*|FNAME|*", FIRST],
    ["Olá *|MC:DATE|*", "*|MC:DATE|*", null],
    ["Olá *{{nome}}*", "{{nome}}", NAME],
  ])("MS01 %s", (text, what, replacement) => expect(found(text)).toEqual([[what, replacement]]));

  test("MS01 MS02 the texts of the cases", () => {
    const text =
      "Olá {primeiro_nome}! {saudacao}, [Nome]. {Oi|Olá|E aí}, %nome% {{firstName}} { nome } {nome_completo} <nome> $Ilda Souto";
    expect(found(text).map(([what]) => what)).toEqual(
      [
        "{saudacao}",
        "[Nome]",
        "{Oi|Olá|E aí}",
        "%nome%",
        "{{firstName}}",
        "{ nome }",
        "{nome_completo}",
      ].concat("<nome>"),
    );
  });
});

describe("left alone", () => {
  test.each([
    "Oi, {nome}! Tudo bem?",
    "Olá {primeiro_nome}, {NOME} e {Primeiro_Nome}",
    "Só R$ 50, ou R$50,00, ou US$ 10",
    "R$valor a combinar",
    "$ 100 e $100",
    "Olá $Ilda Souto",
    "[link]",
    "[Clique aqui](https://exemplo.com.br)",
    "[1] e [2]",
    "[x] feito [ ] por fazer",
    "[Promoção de Natal]",
    "Olá [Cliente VIP]",
    "10% de desconto, 20% à vista",
    "5% nome 10%",
    "https://exemplo.com.br/?q=%C3%A7%20a",
    "#nome #data #promo",
    "#promo#data#valor",
    "#BlackFriday#",
    "<3 você",
    "1 < 2 > 0",
    "<b>negrito</b> <br>",
    "<https://exemplo.com.br>",
    "ana <ana@exemplo.com.br>",
    "carinhas :} ;-} }{",
    "se (x) então { ou não",
    "*negrito* _itálico_ ~riscado~ `código`",
    "*|*",
    "| coluna | outra |",
    "Oi|Olá",
    "(nome) e 'nome' e nome",
    "@nome",
    "Sim/Não, 24/7, 50%",
    "👨‍👩‍👧‍👦 ❤️ 🎉",
    "var_nome e nome_completo",
    "",
  ])("MS01 %s", (text) => expect(found(text)).toEqual([]));
});

test("MS01 one press replaces a placeholder wherever it is written so, and leaves the others", () => {
  const text = "Olá {{name}}, [Nome]! {{name}}";
  const [one] = distinctPlaceholders(text);
  expect(distinctPlaceholders(text).map(({ found }) => found)).toEqual(["{{name}}", "[Nome]"]);
  expect(one && replacePlaceholder(text, one)).toBe("Olá {nome}, [Nome]! {nome}");
});

test("MS02 a text of nothing but braces takes no longer than its length", () => {
  for (const text of ["{".repeat(4096), "{|".repeat(2048), `${"{a|".repeat(1365)}${"}".repeat(1365)}`])
    for (let round = 0; round < 20; round += 1) expect(findPlaceholders(text).length).toBeLessThan(2);
});

test("MS01 replacing all there is to replace comes to an end, whatever the text", () => {
  const signs = fc.constantFrom(..."{}|[]%<>$# ", "nome", "Oi", "primeiro_nome", "é");
  fc.assert(
    fc.property(fc.array(signs, { maxLength: 40 }), (parts) => {
      const text = parts.join("");
      for (const one of findPlaceholders(text)) {
        expect(text.slice(one.at, one.at + one.found.length)).toBe(one.found);
        if (one.replacement === null) continue;
        expect(replacePlaceholder(text, one)).not.toContain(`${one.found}${one.found}`);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("fields are ours, and their other spellings are offered as ours", () => {
  const fields = new Set(["{data}", "{ultima_vacina}"]);
  const all = findPlaceholders("{data} {Data} {{data}} [Data] {Última vacina} {hora} %data%", fields);
  expect(all.map((one) => [one.found, one.replacement])).toEqual([
    ["{{data}}", "{data}"],
    ["[Data]", "{data}"],
    ["{Última vacina}", "{ultima_vacina}"],
    ["{hora}", null],
    ["%data%", "{data}"],
  ]);
});

test("a chosen {sobrenome} is ours, and a field called like another spelling comes before it", () => {
  const all = findPlaceholders(
    "{sobrenome} {Sobrenome} [Last name] [Sobrenome] %surname%",
    new Set(["{sobrenome}", "{last_name}"]),
  );
  expect(all.map((one) => [one.found, one.replacement])).toEqual([
    ["[Last name]", "{last_name}"],
    ["[Sobrenome]", LAST],
    ["%surname%", LAST],
  ]);
});
