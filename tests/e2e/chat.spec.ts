import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { DELIVERY } from "../../src/domain/delivery.ts";
import { chatRow, messageRow, sentRow } from "../support/chat-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { heldAnswer } from "./support/held-answer.ts";
import { signUp, signUpUnseen } from "./support/person.ts";
import { testPicture } from "./support/pictures.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";
import { field, log, minutesAgo, onTheirWay, scrollTo, someTalks, talk, thread } from "./support/talks.ts";

let product: ProductServer;
let rows: ProductRows;
test.use({ viewport: { width: 1440, height: 900 } });
startedFor((started) => {
  ({ product, rows } = started);
});

const selector = (page: Page) => page.getByLabel("Conexão");
const send = (page: Page) => page.getByRole("button", { name: "Enviar", exact: true });
const unreadOf = async (chat: number) =>
  (await sql<{ unread: number }>`select unread from chat where id = ${chat}`.execute(rows.db)).rows[0]
    ?.unread;
const outbox = async (account: string) =>
  (
    await sql<{ text: string; phone: string | null; jid: string | null; image: boolean }>`
      select text, phone::text as phone, jid, image_id is not null as image from outbox
      where account_id = ${account}::uuid and origin = 'chat' order by id`.execute(rows.db)
  ).rows;

test("the first connection and the first contact choose themselves, and another choice clears both @spec 0.1,1.5,2.12,2.71,2.72,4.11,7.11", async ({
  page,
}) => {
  const email = await signUp(page, product.url);
  await page.getByRole("navigation", { name: "Mais" }).getByRole("link", { name: "Chat" }).click();
  await expect(page.getByText("Nenhuma conexão encontrada")).toBeVisible();
  const { connectionId, away, ana, bruno, empty } = await someTalks(rows.db, email);
  await sql`update chat set unread = 2 where id = ${empty}`.execute(rows.db);
  await page.reload();
  await expect(page).toHaveURL(new RegExp(`/chat\\?conexao=${connectionId}&conversa=${ana}$`));
  await expect(selector(page).locator("option")).toHaveText([
    "Matriz – Centro (1) · Conectado",
    "Unidade Savassi (2) · Desconectado",
  ]);
  await expect(page.getByRole("heading", { level: 2, name: "Ana Beatriz Rocha" })).toBeVisible();
  await expect(log(page)).toContainText("Passo aí às 17h");
  await expect.poll(() => unreadOf(ana)).toBe(0);
  await expect(thread(page, /Ana Beatriz/)).not.toContainText("não lida");
  await expect(thread(page, /Bruno/)).toContainText("1 mensagem não lida");
  await expect(page).toHaveTitle("(1) Chat · Recado");

  await thread(page, /Bruno/).click();
  await expect(log(page)).toContainText("QUERO");
  await expect(log(page)).not.toContainText("Passo aí às 17h");
  await expect(field(page)).toBeFocused();
  await expect.poll(() => unreadOf(bruno)).toBe(0);

  await selector(page).selectOption({ label: "Unidade Savassi (2) · Desconectado" });
  await expect(thread(page, /Bruno/)).toBeHidden();
  await expect(page).toHaveURL(new RegExp(`conexao=${away}&`));
  await expect(page.getByRole("heading", { level: 2, name: "Rita Moura" })).toBeVisible();
  await expect(log(page)).toContainText("Nenhuma mensagem");
  await expect(page.getByText("Unidade Savassi: Desconectado.")).toBeVisible();
  await expect(page.getByText("Pendente e sai sozinho quando a conexão puder enviar")).toBeVisible();
});

test("a link to a conversation opens it, also without its connection; one that is none is said to be so", async ({
  page,
}) => {
  const email = await signUpUnseen(page, product.url);
  const { away, empty, group, connectionId } = await someTalks(rows.db, email);
  await page.goto(`${product.url}/chat?conversa=${empty}`);
  await expect(page.getByRole("heading", { level: 2, name: "Rita Moura" })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`conexao=${away}`));
  await page.goto(`${product.url}/chat?conexao=${away}&conversa=${group}`);
  await expect(page.getByRole("heading", { level: 2, name: "120363042198765432@g.us" })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`conexao=${connectionId}`));
  await expect(thread(page, /120363042198765432@g\.us/)).toHaveAttribute("aria-current", "page");
  await expect(log(page)).toContainText("Lucas");
  await page.goto(`${product.url}/chat?conexao=${connectionId}&conversa=987654321`);
  await expect(page.getByText("Conversa não encontrada")).toBeVisible();
  await expect(thread(page, /Bruno/)).toBeVisible();
  await page.goto(`${product.url}/chat?conexao=abc&conversa=-1`);
  await expect(page.getByRole("heading", { level: 2, name: "Ana Beatriz Rocha" })).toBeVisible();
});

test("the newest hundred are in view, older ones come on scrolling up and nothing jumps @spec 9.10 @decision 15", async ({
  page,
}) => {
  const email = await signUpUnseen(page, product.url);
  const account = await accountOf(rows.db, email);
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  const texts = Array.from({ length: 250 }, (_, at) => `mensagem ${at + 1}`);
  const long = { name: "Ana", phone: 5_531_902_341_187, texts, endedMinutesAgo: 1 };
  await talk(rows.db, { account, connectionId }, long);
  let olderPages = 0;
  page.on("request", (request) => {
    if (request.url().includes("older=")) olderPages++;
  });
  await page.goto(`${product.url}/chat`);
  const last = log(page).getByText("mensagem 250", { exact: true });
  await expect(last).toBeInViewport();
  expect(olderPages).toBe(0);
  const drawn = log(page).getByRole("article");
  expect(await drawn.count()).toBeLessThan(100);

  for (const [before, mark] of [
    [150, "mensagem 153"],
    [50, "mensagem 53"],
  ] as const) {
    await scrollTo(page, 60);
    await expect(log(page).getByText(`mensagem ${before}`, { exact: true })).toBeAttached();
    await expect(log(page).getByText(mark, { exact: true })).toBeInViewport();
    expect(await drawn.count()).toBeLessThan(100);
  }
  expect(olderPages).toBe(2);
  await scrollTo(page, 0);
  await expect(log(page).getByText("mensagem 1", { exact: true })).toBeInViewport();
  await page.getByRole("button", { name: "Ir para o fim da conversa" }).click();
  await expect(last).toBeInViewport();
});

test("the list of contacts is read on as one scrolls, by mouse and by keyboard, and searched", async ({
  page,
}) => {
  const email = await signUpUnseen(page, product.url);
  const account = await accountOf(rows.db, email);
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  for (let at = 1; at <= 130; at++)
    await chatRow(rows.db, {
      account,
      connectionId,
      phone: 5_531_912_340_000 + at,
      pushName: `Pessoa ${at}`,
      lastAt: minutesAgo(at),
    });
  await page.goto(`${product.url}/chat`);
  const list = page.getByRole("navigation", { name: "Conversas" });
  await expect(thread(page, /Pessoa 1 /)).toHaveAttribute("aria-current", "page");
  expect(await list.getByRole("link").count()).toBeLessThan(40);
  await expect(async () => {
    await list.evaluate((box) => {
      box.scrollTop = box.scrollHeight;
    });
    await expect(thread(page, /Pessoa 130/)).toBeVisible({ timeout: 500 });
  }).toPass();

  await thread(page, /Pessoa 130/).focus();
  await page.keyboard.press("Home");
  await expect(thread(page, /Pessoa 1 /)).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(thread(page, /Pessoa 3 /)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 2, name: "Pessoa 3", exact: true })).toBeVisible();
  await expect(field(page)).toBeFocused();

  const search = page.getByRole("searchbox", { name: "Buscar conversa" });
  await search.fill("Pessoa 117");
  await expect(list.getByRole("link")).toHaveCount(1);
  await search.fill("ninguém assim");
  await expect(page.getByText("Nada encontrado para «ninguém assim»")).toBeVisible();
  const { asked, answer } = await heldAnswer(page, /\/api\/chats\?.*Pessoa/);
  await search.fill("Pessoa 118");
  await asked;
  expect(await page.getByText("Nada encontrado").count()).toBe(0);
  answer();
  await expect(thread(page, /Pessoa 118/)).toBeVisible();
  await search.fill("ninguém assim");
  await page.getByRole("button", { name: "Limpar busca" }).click();
  await expect(thread(page, /Pessoa 1 /)).toBeVisible();
});

test("Enter sends, Shift+Enter begins a line, blanks are refused in place, and drafts wait for their chat @spec 2.71,5.11,7.32", async ({
  page,
}) => {
  const email = await signUpUnseen(page, product.url);
  const { account, ana } = await someTalks(rows.db, email);
  await page.goto(`${product.url}/chat`);
  await expect(log(page)).toBeVisible();
  await field(page).fill("  \n ");
  await field(page).press("Enter");
  await expect(page.getByRole("alert")).toHaveText("Escreva a mensagem.");
  await expect(field(page)).toHaveAttribute("aria-invalid", "true");
  await field(page).fill("Bom dia!");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await field(page).press("Shift+Enter");
  await field(page).pressSequentially("Já separei.");
  await field(page).press("Enter");
  const mine = log(page).getByRole("article").last();
  await expect(mine).toContainText(/Bom dia!\s+Já separei\..*Pendente/s);
  await expect(field(page)).toHaveValue("");
  await expect
    .poll(() => outbox(account))
    .toEqual([{ text: "Bom dia!\nJá separei.", phone: "5531902341187", jid: null, image: false }]);
  await expect(thread(page, /Ana Beatriz/)).toContainText("Você: Bom dia! Já separei.");

  await field(page).fill("um rascunho");
  await thread(page, /@g\.us/).click();
  await expect(field(page)).toHaveValue("");
  await field(page).fill("ao grupo");
  await field(page).press("Enter");
  await expect
    .poll(async () => (await outbox(account)).at(-1))
    .toMatchObject({
      text: "ao grupo",
      phone: null,
      jid: "120363042198765432@g.us",
    });
  await page.getByRole("navigation").getByRole("link", { name: "Contatos" }).click();
  await page.getByRole("navigation").getByRole("link", { name: "Chat" }).click();
  await thread(page, /Ana Beatriz/).click();
  await expect(field(page)).toHaveValue("um rascunho");
  await expect.poll(() => unreadOf(ana)).toBe(0);
});

test("a double press sends once, and finds no error with the field that it emptied", async ({ page }) => {
  const { account } = await someTalks(rows.db, await signUpUnseen(page, product.url));
  await page.goto(`${product.url}/chat`);
  await expect(log(page)).toBeVisible();
  await field(page).fill("Já separei.");
  await page.getByRole("button", { name: "Enviar" }).dblclick();
  await expect(log(page).getByRole("article").last()).toContainText("Já separei.");
  await expect(onTheirWay(page)).toHaveCount(0);
  await expect(log(page).getByText("Já separei.")).toHaveCount(1);
  expect((await outbox(account)).map(({ text }) => text)).toEqual(["Já separei."]);
  await expect(field(page)).toHaveValue("");
  await expect(field(page)).not.toHaveAttribute("aria-invalid");
});

test("a picture is attached, shown before it goes, removed, sent and enlarged", async ({ page }) => {
  const email = await signUpUnseen(page, product.url);
  const { account } = await someTalks(rows.db, email);
  await page.goto(`${product.url}/chat`);
  const attach = async () => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Anexar imagem" }).click();
    const buffer = await testPicture();
    await (await chooser).setFiles({ name: "armação.png", mimeType: "image/png", buffer });
    await expect(page.getByText("640 × 480")).toBeVisible();
  };
  await attach();
  await page.getByRole("button", { name: "Remover imagem" }).press("Enter");
  await expect(page.getByText("armação.png")).toBeHidden();
  await expect(field(page)).toBeFocused();
  await attach();
  const late = await heldAnswer(page, /\/api\/chats\/\d+\/messages$/);
  await send(page).click();
  const picture = log(page).getByRole("button", { name: "Ampliar imagem" });
  await onTheirWay(page).getByRole("button", { name: "Ampliar imagem" }).click();
  const dialog = page.getByRole("dialog", { name: "Imagem" });
  await expect(dialog).toBeVisible();
  late.answer();
  await expect
    .poll(() => outbox(account))
    .toEqual([{ text: "", phone: "5531902341187", jid: null, image: true }]);
  await expect(page.locator("article[aria-busy=true]")).toHaveCount(0);
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(log(page)).toBeFocused();
  await expect(onTheirWay(page)).toHaveCount(0);
  await expect(picture).toHaveCount(1);
  await expect(page.getByText("armação.png")).toBeHidden();
  await picture.click();
  await expect(dialog.getByRole("img")).toHaveJSProperty("naturalWidth", 640);
  await page.keyboard.press("Escape");
  await expect(picture).toBeFocused();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Anexar imagem" }).click();
  await (await chooser).setFiles({ name: "x.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
  await expect(page.getByRole("alert")).toHaveText("Use uma imagem JPG, PNG ou WebP.");
});

test("copied words are pasted as words, whatever picture of them comes along; a picture alone is attached", async ({
  page,
}) => {
  const email = await signUpUnseen(page, product.url);
  await someTalks(rows.db, email);
  await page.goto(`${product.url}/chat`);
  const base64 = (await testPicture()).toString("base64");
  const paste = (words: string) =>
    field(page).evaluate(
      (element, copied) => {
        const clipboardData = new DataTransfer();
        const bytes = Uint8Array.from(atob(copied.base64), (letter) => letter.charCodeAt(0));
        const picture = new File([bytes], "image.png", { type: "image/png" });
        clipboardData.items.add(picture);
        if (copied.words) clipboardData.setData("text/plain", copied.words);
        const how = { clipboardData, bubbles: true, cancelable: true };
        return element.dispatchEvent(new ClipboardEvent("paste", how));
      },
      { base64, words },
    );
  expect(await paste("Armação\tR$ 190")).toBe(true);
  expect(await paste("")).toBe(false);
  await expect(page.getByText("640 × 480")).toBeVisible();
});

test("what the server did not take stays, and is sent once however often one tries", async ({ page }) => {
  const email = await signUpUnseen(page, product.url);
  const { account } = await someTalks(rows.db, email);
  await page.goto(`${product.url}/chat`);
  await expect(log(page)).toContainText("Passo aí às 17h");
  // The server stores it, and the answer is lost.
  await page.route("**/api/chats/*/messages", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    return route.abort();
  });
  await field(page).fill("chegou?");
  await field(page).press("Enter");
  const error = log(page).getByRole("alert");
  await expect(error).toContainText("Tentar novamente não repete a mensagem.");
  await page.unroute("**/api/chats/*/messages");
  await error.getByRole("button", { name: "Tentar novamente" }).click();
  await expect(error).toHaveCount(0);
  await expect(log(page).getByText("chegou?")).toHaveCount(1);
  await expect(onTheirWay(page)).toHaveCount(0);
  expect(await outbox(account)).toHaveLength(1);

  await page.route("**/api/chats/*/messages", (route) =>
    route.request().method() === "POST" ? route.abort() : route.continue(),
  );
  await field(page).fill("desisto");
  await field(page).press("Enter");
  await error.getByRole("button", { name: "Descartar" }).press("Enter");
  await expect(log(page).getByText("desisto")).toHaveCount(0);
  await expect(log(page)).toBeFocused();
});

test("states are said in words, with their causes and ways out @decision 15", async ({ page }) => {
  const email = await signUpUnseen(page, product.url);
  const { account, ana } = await someTalks(rows.db, email);
  const states = DELIVERY;
  await sentRow(rows.db, ana, { text: "lida", status: states.read });
  await sentRow(rows.db, ana, { text: "entregue", status: states.delivered, origin: "agent" });
  await sentRow(rows.db, ana, { text: "enviada", status: states.sent, origin: "api" });
  await sentRow(rows.db, ana, { text: "falhou", status: states.error, error: "not_on_whatsapp" });
  await sentRow(rows.db, ana, { text: "duvidosa", status: states.uncertain, error: "no_ack" });
  await messageRow(rows.db, ana, { text: "do celular", fromMe: true, status: states.sent });
  await sql`update chat_message set kind = 'audio' where chat_id = ${ana} and text = 'Passo aí às 17h'`.execute(
    rows.db,
  );
  await page.goto(`${product.url}/chat`);
  const said = (text: string) => log(page).getByRole("article").filter({ hasText: text });
  await expect(said("lida")).toContainText("Lido");
  await expect(said("entregue")).toContainText(/Assistente.*Entregue/s);
  await expect(said("enviada")).toContainText(/API.*Enviado/s);
  await expect(said("do celular")).toContainText(/Celular.*Enviado/s);
  await expect(said("Passo aí")).toContainText("Áudio");
  await expect(said("falhou")).toContainText(/Erro.*este número não tem WhatsApp/s);
  await said("falhou").getByRole("button", { name: "Tentar novamente" }).click();
  await expect(said("falhou").first()).toContainText("Enviada de novo, abaixo.");
  await expect(said("falhou").last()).toContainText("Pendente");
  await expect(said("duvidosa")).toContainText("A verificar");
  await said("duvidosa").getByRole("button", { name: "Reenviar mesmo assim" }).click();
  const dialog = page.getByRole("alertdialog", { name: "Reenviar mesmo assim?" });
  await expect(dialog).toContainText("Ana Beatriz Rocha recebe a mesma mensagem duas vezes");
  await expect(dialog.getByRole("button", { name: "Cancelar" })).toBeFocused();
  await expect.poll(() => outbox(account)).toHaveLength(1 + 3);
  for (let each = 1; each <= 45; each++) await messageRow(rows.db, ana, { text: `dita ${each}` });
  await expect(page.getByText("dita 45", { exact: true })).toBeAttached();
  await dialog.getByRole("button", { name: "Reenviar mesmo assim" }).click();
  await expect(said("duvidosa").last()).toContainText("Pendente");
});

test("on a telephone list and conversation are two steps", async ({ page }) => {
  const email = await signUpUnseen(page, product.url);
  const { bruno } = await someTalks(rows.db, email);
  await sql`insert into opt_out (account_id, phone, source)
    select account_id, phone, 'reply' from chat where id = ${bruno}`.execute(rows.db);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${product.url}/chat`);
  await expect(thread(page, /Bruno/)).toBeVisible();
  await expect(field(page)).toBeHidden();
  await thread(page, /Bruno/).click();
  await expect(log(page)).toContainText("QUERO");
  await expect(thread(page, /Bruno/)).toBeHidden();
  await expect(page.getByText("Não quer receber campanhas")).toBeVisible();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(wide).toBeLessThanOrEqual(0);
  await page.getByRole("link", { name: "Voltar aos contatos" }).click();
  await expect(thread(page, /Bruno/)).toBeFocused();
  await expect(field(page)).toBeHidden();
  await thread(page, /Ana Beatriz/).click();
  await expect(log(page)).toContainText("Passo aí às 17h");
  await page.goBack();
  await expect(thread(page, /Ana Beatriz/)).toBeVisible();
});
