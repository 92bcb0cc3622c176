import { createHash } from "node:crypto";
import { expect, type Page, type TestInfo } from "@playwright/test";
import type { LocalSimulator } from "../../simulators/whatsapp/local.ts";
import { oggVoice } from "../support/media-files.ts";
import { call, link } from "./support/linked.ts";
import { signUpUnseen } from "./support/person.ts";
import { testPicture } from "./support/pictures.ts";
import { test } from "./support/product.ts";
import { field, log, thread } from "./support/talks.ts";

const DEVICE = "5531907773055";
const ANA = "5531902341187";
const BRUNO = "5531905620093";

let simulator: LocalSimulator;

test.use({ viewport: { width: 1440, height: 900 } });
test.beforeEach(({ whatsapp }) => {
  simulator = whatsapp;
});

const shot = (page: Page, info: TestInfo, name: string) =>
  page.screenshot({ path: info.outputPath(`${name}.png`) });

async function campaignTo(page: Page, people: readonly [name: string, phone: string][]): Promise<void> {
  let listId: number | undefined;
  for (const [name, phone] of people)
    ({ listId } = await call<{ listId: number }>(page, "POST", "/api/contacts", { name, phone, listId }));
  await call(page, "POST", "/api/campaigns", {
    name: "Semana do cliente",
    text: "Oi, {nome}! *20% de desconto* até sábado.",
    listId,
    intervalS: 0,
    intent: "create",
  });
  for (const [, phone] of people) await reached(phone, 1);
}

const reached = async (to: string, atLeast: number) =>
  (await simulator.control.messages({ to, atLeast })).messages;
const held = async (to: string, atLeast: number) => (await reached(to, atLeast)).map(({ text }) => text);
const mine = (page: Page, text: string) => log(page).getByRole("article").filter({ hasText: text });

test("a reply to a campaign appears by itself, and the answer reaches the phone @spec 0.1,2.72,5.11,7.32 @decision 15", async ({
  page,
}, info) => {
  const { control } = simulator;
  await signUpUnseen(page);
  await link(page, simulator, DEVICE);
  await campaignTo(page, [
    ["Ana Beatriz Rocha", ANA],
    ["Bruno Carvalho", BRUNO],
  ]);
  await page.goto("/chat");
  await expect(page.getByText("Nenhuma conversa")).toBeVisible();
  await expect(page.getByText("Selecione um contato")).toBeVisible();
  await expect(field(page)).toHaveCount(0);

  await control.write({ from: ANA, to: DEVICE, text: "Oi! Vale para óculos de sol?" });
  await expect(page.getByRole("heading", { level: 2, name: "Ana Beatriz Rocha" })).toBeVisible();
  await expect(mine(page, "20% de desconto")).toContainText("Campanha «Semana do cliente»");
  await expect(mine(page, "20% de desconto")).toContainText(
    "Oi, Ana Beatriz Rocha! 20% de desconto até sábado.",
  );
  await expect(log(page)).toContainText("Oi! Vale para óculos de sol?");
  await control.write({ from: BRUNO, to: DEVICE, text: "QUERO" });
  await expect(thread(page, /Bruno Carvalho/)).toContainText(/QUERO.*1 mensagem não lida/s);
  await shot(page, info, "1-replies");

  await control.clock({ hold: true });
  await field(page).fill("Vale sim, para toda a loja.");
  await field(page).press("Enter");
  const answer = mine(page, "Vale sim");
  expect(await held(ANA, 2)).toEqual([
    "Oi, Ana Beatriz Rocha! *20% de desconto* até sábado.",
    "Vale sim, para toda a loja.",
  ]);
  await expect(answer).toContainText("Enviado");
  await control.clock({ hold: false });
  await expect(answer).toContainText("Entregue");
  const { messages } = await control.messages({ to: ANA });
  const ids = messages.slice(1).map(({ id }) => id);
  await control.receipts({ from: ANA, to: DEVICE, ids, type: "read" });
  await expect(answer).toContainText("Lido");

  await thread(page, /Bruno Carvalho/).click();
  await expect(log(page)).toContainText("QUERO");
  await expect(thread(page, /Bruno Carvalho/)).not.toContainText("não lida");
  await shot(page, info, "2-answered");

  const { id } = await control.write({ from: ANA, to: DEVICE, text: "Obrigada!" });
  await expect(thread(page, /Ana Beatriz/)).toContainText(/Obrigada!.*1 mensagem não lida/s);
  await control.readOnPhone({ phone: DEVICE, from: ANA, ids: [id] });
  await expect(thread(page, /Ana Beatriz/)).not.toContainText("não lida");
});

async function answersByVoice(page: Page, device: string): Promise<void> {
  const began = Date.now();
  await page.getByRole("button", { name: "Gravar mensagem de voz" }).click();
  await expect(page.getByRole("timer")).toHaveText(/^(?!0:0[01])\d/);
  await page.getByRole("button", { name: "Enviar", exact: true }).click();
  const longest = (Date.now() - began) / 1000;
  const sent = (await reached(ANA, 2)).at(-1)?.file;
  expect(sent).toMatchObject({ kind: "audio", voice: true, mimetype: "audio/ogg; codecs=opus" });
  expect(sent?.seconds).toBeGreaterThanOrEqual(2);
  expect(sent?.seconds).toBeLessThanOrEqual(Math.ceil(longest));
  const ours = log(page).locator("audio").first();
  const bytes = await page.request.get((await ours.getAttribute("src")) ?? "");
  const note = await bytes.body();
  expect(note.subarray(0, 4).toString()).toBe("OggS");
  expect(createHash("sha256").update(note).digest("hex")).toBe(sent?.sha256);

  const voice = { kind: "audio", mimetype: "audio/ogg; codecs=opus", ptt: true, seconds: 3 } as const;
  const base64 = (await oggVoice(3)).toString("base64");
  await simulator.control.write({ from: ANA, to: device, file: { ...voice, base64 } });
  const theirs = log(page).getByRole("article").last();
  await expect(theirs).toContainText("0:03");
  const sound = theirs.locator("audio");
  await expect(sound).toHaveAttribute("aria-label", "Mensagem de voz, 0:03");
  await sound.evaluate((each: HTMLAudioElement) => each.play());
  await expect.poll(() => sound.evaluate((each: HTMLAudioElement) => each.currentTime)).toBeGreaterThan(0);
}

test("pictures and voice notes come and go, and what is typed on the phone itself is here as well", async ({
  page,
}, info) => {
  const { control } = simulator;
  await signUpUnseen(page);
  await link(page, simulator, "5531907773056");
  await page.goto("/chat");
  const picture = await testPicture();
  await control.write({
    from: ANA,
    to: "5531907773056",
    text: "Tem este?",
    imageBase64: picture.toString("base64"),
    mimetype: "image/png",
  });
  await expect(mine(page, "Tem este?").getByRole("button", { name: "Ampliar imagem" })).toBeVisible();
  await control.typeOnPhone({ phone: "5531907773056", to: ANA, text: "Vou ver no estoque" });
  await expect(mine(page, "Vou ver no estoque")).toContainText("Celular");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Anexar arquivo" }).click();
  await (await chooser).setFiles({ name: "armação.png", mimeType: "image/png", buffer: picture });
  await field(page).fill("Serve esta?");
  await page.getByRole("button", { name: "Enviar", exact: true }).click();
  const messages = await reached(ANA, 1);
  expect(messages.at(-1)).toMatchObject({ text: "Serve esta?", image: { width: 640, height: 480 } });
  await expect(mine(page, "Serve esta?")).toContainText("Entregue");
  await mine(page, "Serve esta?").getByRole("button", { name: "Ampliar imagem" }).click();
  const whole = page.getByRole("dialog", { name: "Imagem" }).getByRole("img");
  await expect(whole).toHaveJSProperty("naturalWidth", 640);
  await shot(page, info, "1-pictures");
  await page.keyboard.press("Escape");
  await answersByVoice(page, "5531907773056");
  await shot(page, info, "2-voice");
});
