import { describe, expect, test } from "vitest";
import { cleanName } from "./contact-name.ts";
import { detectLayout } from "./csv-layout.ts";
import { CsvScanner } from "./csv-scan.ts";
import { greetingName } from "./greeting-name.ts";
import { readPhone } from "./phone-foreign.ts";
import { readLine, readRow } from "./table-rows.ts";
import { encodingDetector } from "./text-encoding.ts";

function peopleOf(bytes: Buffer): [string, string][] {
  const detector = encodingDetector();
  detector.push(bytes);
  const text = new TextDecoder(detector.result()).decode(bytes);
  const layout = detectLayout(text, true);
  const records: string[][] = [];
  const handlers = { record: (cells: string[]) => void records.push(cells), tooLong: () => undefined };
  const scanner = new CsvScanner(layout.separator, handlers, layout.quote);
  scanner.push(text);
  scanner.end();
  const rows = records
    .slice(layout.skip)
    .filter((cells) => cells.some((cell) => cell.trim() !== ""))
    .flatMap((cells) => (layout.everyCell ? [...readLine(cells)] : [readRow(layout, cells)]));
  return rows.flatMap((row) => (row === null ? [] : [personOf(row)]));
}

function personOf({
  name,
  phone,
  error,
}: {
  name: string;
  phone: string;
  error: string | null;
}): [string, string] {
  const clean = cleanName(name);
  const reading = readPhone(phone);
  const called = greetingName("name" in clean ? clean.name : "");
  return [called, error ?? ("error" in reading ? reading.error : reading.phone)];
}

const lines = (...all: string[]) => Buffer.from(`${all.join("\r\n")}\r\n`);
const windows = (...all: string[]) => Buffer.from(`${all.join("\r\n")}\r\n`, "latin1");
const person = (name: string, end: string): [string, string] => [name, `55319881240${end}`];

describe("files of people who do this job", () => {
  test("IM02 an advertisement's leads: UTF-16, tabs, p: before the number", () => {
    const text = [
      "id\tcreated_time\tform_name\tplatform\tqual_horário_é_melhor_para_você?\tnome_completo\tnúmero_de_telefone\tlead_status",
      "l:1\t2026-11-19T10:00:00-03:00\tLentes\tfb\tmanhã\tIara Prates\tp:+5531988124001\tCREATED",
      "l:2\t2026-11-19T10:03:00-03:00\tLentes\tig\ttarde\tNilza Couto\tp:+5531988124002\tCREATED",
    ].join("\r\n");
    expect(peopleOf(Buffer.from(`\ufeff${text}\r\n`, "utf16le"))).toEqual([
      person("Iara Prates", "01"),
      person("Nilza Couto", "02"),
    ]);
  });

  test("IM03 a form's answers: questions as headers", () => {
    expect(
      peopleOf(
        lines(
          '"Carimbo de data/hora","Qual é o seu nome completo?","Qual o seu WhatsApp com DDD?","Como nos conheceu?"',
          '"2026/11/18 9:41:07 AM GMT-3","Iara Prates","(31) 98812-4001","Amigos"',
          '"2026/11/18 2:15:44 PM GMT-3","Nilza Couto","31 98812-4002","Rádio"',
        ),
      ),
    ).toEqual([person("Iara Prates", "01"), person("Nilza Couto", "02")]);
  });

  test.each([
    [
      "IM06 a pet's tutor",
      "Nome do Pet;Raça;Nome do Tutor;Celular",
      "Bolt;Poodle;Zilá Nunes;(31) 98812-4001",
    ],
    ["IM07 a car's owner", "Placa;Carro;Proprietário;Celular", "ABC1D23;Gol;Zilá Nunes;(31) 98812-4001"],
    ["IM07 in English", "Name,Owner Name,Phone", "Clínica Vida,Zilá Nunes,(31) 98812-4001"],
    ["a pupil's parent", "Nome do Aluno;Nome do Responsável;Telefone", "Enzo;Zilá Nunes;(31) 98812-4001"],
    [
      "a plain name before the seller in charge",
      "Nome;Responsável;Telefone",
      "Zilá Nunes;Paulo;(31) 98812-4001",
    ],
    [
      "IM50 a company's contact",
      "Razão Social;Nome Fantasia;Contato;Telefone",
      "PADARIA SOL LTDA;Padaria Sol;Zilá Nunes;31988124001",
    ],
    [
      "IM50 a company called by name",
      "Nome;CNPJ;Contato;Telefone",
      "PADARIA SOL LTDA;;Zilá Nunes;31988124001",
    ],
  ])("%s is greeted", (_, header, row) => {
    expect(peopleOf(windows(header, row))).toEqual([person("Zilá Nunes", "01")]);
  });

  test.each([
    [
      "IM50 the trade name",
      "Razão Social;Nome Fantasia;Telefone",
      "PADARIA SOL LTDA;Padaria Sol;31988124001",
      "Padaria Sol",
    ],
    ["no pet", "Nome do Pet;Telefone", "Bolt;31988124001", ""],
    ["no plate", "Placa;Telefone", "ABC1D23;31988124001", ""],
    ["no pet's name asked for", "Qual o nome do seu pet?;Seu WhatsApp", "Bolt;31988124001", ""],
  ])("%s is greeted where there is no person", (_, header, row, name) => {
    expect(peopleOf(lines(header, row))).toEqual([person(name, "01")]);
  });

  test("IM08 a shop's customers: the phone of the address where the other is empty", () => {
    const header =
      "Customer ID,First Name,Last Name,Email,Default Address Company,Default Address Country Code,Default Address Phone,Phone,Note";
    expect(
      peopleOf(
        lines(
          header,
          "'77123,Iara,Prates,i@exemplo.com.br,,BR,'+5531988124001,,",
          "'77124,Nilza,Couto,n@exemplo.com.br,,BR,(31) 98812-4003,'+5531988124002,",
        ),
      ),
    ).toEqual([person("Iara Prates", "01"), person("Nilza Couto", "02")]);
  });

  test("IM11 IM12 links as numbers, alone and beside a telephone", () => {
    const rows = lines(
      "Nome,Telefone,WhatsApp,Site",
      "Bar Sol,(31) 98812-4001,https://wa.me/5531988124001,sol.exemplo.com.br",
      "Casa Mar,(31) 3222-4002,,",
    );
    expect(peopleOf(rows)).toEqual([person("Bar Sol", "01"), ["Casa Mar", "553132224002"]]);
    const links = lines(
      "Nome;Link do WhatsApp",
      "Bar Sol;https://api.whatsapp.com/send?phone=5531988124001&text=Ol%C3%A1",
      "Casa Mar;wa.me/+5531988124002",
    );
    expect(peopleOf(links)).toEqual([person("Bar Sol", "01"), person("Casa Mar", "02")]);
  });

  test("IM13 a group's members by their addresses, hidden ones refused", () => {
    const rows = lines(
      "nome,telefone",
      "Iara,5531988124001@c.us",
      "Nilza,553188124002@c.us",
      "Ivo,494681625791558@lid",
    );
    expect(peopleOf(rows)).toEqual([person("Iara", "01"), person("Nilza", "02"), ["Ivo", "phone_hidden_id"]]);
  });

  test.each([
    "remoteJid",
    "jid",
    "wa_id",
    "WhatsApp ID",
    "chat_id",
    "Número do WhatsApp (com DDD, só números)",
  ])("IM13 IM43 a column called «%s» holds addresses", (header) => {
    expect(peopleOf(lines(`id,pushName,${header}`, "cm3x1,Iara,5531988124001@s.whatsapp.net"))).toEqual([
      person("Iara", "01"),
    ]);
  });

  test("IM50 a contact is no person where the name may be anybody's", () => {
    const rows = lines("Nome;CNPJ/CPF;Contato;Telefone", "Iara Prates;;WhatsApp;31988124001");
    expect(peopleOf(rows)).toEqual([person("Iara Prates", "01")]);
  });

  test("IM16 IM17 IM19 labels, thousands, Mexico", () => {
    const rows = lines(
      "Nome;Contato",
      "Iara;Cel.: (31) 98812-4001",
      "Nilza;📱 31 98812-4002",
      'Ivo;"5,531,988,124,003"',
      "Ximena;5215555124004",
    );
    expect(peopleOf(rows)).toEqual([
      person("Iara", "01"),
      person("Nilza", "02"),
      person("Ivo", "03"),
      ["Ximena", "525555124004"],
    ]);
  });

  test("IM25 several numbers in each line", () => {
    const rows = lines("31 98812-4001; 31 98812-4002; 31 98812-4003");
    expect(peopleOf(rows)).toEqual([person("", "01"), person("", "02"), person("", "03")]);
  });

  test("IM28 IM29 IM30 IM55 what is no name", () => {
    const rows = lines(
      "nome,telefone",
      "#N/D,31988124001",
      "5531988124002,31988124002",
      "i.prates@exemplo.com.br,31988124003",
      "IARA PRATES 12345678909,31988124004",
    );
    expect(peopleOf(rows)).toEqual([
      person("", "01"),
      person("", "02"),
      person("", "03"),
      person("IARA PRATES", "04"),
    ]);
  });

  test("IM48 an ERP's template: notes, labels and types above the people", () => {
    const rows = lines(
      ...['"Data Import Template"', '"Table:","Contact"', '""', '"Notes:"', '"Do not change the headings."'],
      ...Array.from({ length: 9 }, (_, at) => `"Note ${at}, with a comma"`),
      '"DocType:","Contact","","","~","Contact Phone","phone_nos"',
      '"Column Labels:","ID","First Name","Last Name","~","Mobile No","City"',
      '"Column Name:","name","first_name","last_name","~","mobile_no","city"',
      '"Type:","Data","Data","Data","~","Data","Data"',
      '"","","Iara","Prates","~","31988124001","Betim"',
      '"","","Nilza","Couto","~","31988124002","Betim"',
    );
    expect(peopleOf(rows).slice(-2)).toEqual([person("Iara Prates", "01"), person("Nilza Couto", "02")]);
    expect(peopleOf(rows).filter(([, phone]) => phone.startsWith("55"))).toHaveLength(2);
  });

  test("text that another program broke is read as it was meant", () => {
    const rows = lines(
      "Nome,TelefÃ´ne",
      "Jo&atilde;o &amp; Z&eacute;,31988124001",
      "InÃªs ConceiÃ§Ã£o,31988124002",
      "D&#39;Ávila,31988124003",
    );
    expect(peopleOf(rows)).toEqual([
      person("João & Zé", "01"),
      person("Inês Conceição", "02"),
      person("D'Ávila", "03"),
    ]);
  });
});
