import fs from "node:fs";
import path from "node:path";
import { type BrowserContext, chromium, type Page } from "@playwright/test";
import { browser } from "../e2e/support/browser.ts";
import { commandLine, refuse } from "../support/command-line.ts";
import { freePort } from "../support/ports.ts";
import { AGENT } from "./assistant.ts";
import { ACCOUNT, openStage } from "./stage.ts";

/**
 * `npm run pictures [-- chat dashboard]`: screens of the demo at 1440 and 390 px, light and dark, into
 * docs/images.
 */
const FOLDER = path.resolve(import.meta.dirname, "../../docs/images");
const WIDTHS = { 1440: 900, 390: 844 } as const;
const THEMES = ["light", "dark"] as const;
/** Text stays sharp, and a hundred pictures take less room than ten lossless ones. */
const QUALITY = 82;

type Screen = {
  name: string;
  outside?: true;
  whole?: true;
  show(page: Page, url: string): Promise<unknown>;
};

const WITH_FAILURES = "Seus óculos chegaram";

const at = (place: string) => (page: Page, url: string) => page.goto(`${url}${place}`);

const SCREENS: readonly Screen[] = [
  { name: "login", outside: true, show: at("/login") },
  { name: "signup", outside: true, show: at("/signup") },
  { name: "terms", outside: true, show: at("/termos") },
  { name: "dashboard", whole: true, show: at("/") },
  { name: "palette", show: openPalette },
  { name: "campaigns", show: at("/campaigns") },
  {
    name: "details",
    async show(page, url) {
      const answer = await page.request.get(`${url}/api/campaigns?limit=100`);
      const { items } = (await answer.json()) as { items: { id: number; name: string }[] };
      await page.goto(`${url}/campaigns?detalhes=${items.find(({ name }) => name === WITH_FAILURES)?.id}`);
      await page.getByRole("dialog").getByRole("table").waitFor();
    },
  },
  {
    name: "new-campaign",
    whole: true,
    async show(page, url) {
      await page.goto(`${url}/campaigns/new`);
      await page.getByLabel("Nome da Campanha").fill("Semana do cliente");
      await page
        .getByRole("textbox", { name: "Texto" })
        .fill("Oi, {nome}! Esta semana a limpeza dos seus óculos é por nossa conta. _Sem hora marcada._");
      await page.getByLabel("Lista de contatos").selectOption({ index: 1 });
      await page.getByRole("button", { name: "Deixar de fora" }).click();
      await page.getByRole("menuitem", { name: "Quem está em conversa" }).click();
      await page.getByText("Recebem", { exact: true }).waitFor();
      await page.getByText("calculando").waitFor({ state: "hidden" });
      const notice = page.getByRole("dialog");
      if (await notice.isVisible()) await page.keyboard.press("Escape");
    },
  },
  { name: "contacts", show: at("/contacts") },
  { name: "import-columns", show: openImport },
  { name: "person", whole: true, show: openPerson },
  { name: "connections", show: at("/whatsapp/connections") },
  { name: "connect", show: at("/baileys") },
  { name: "instances", show: at("/instances") },
  { name: "chat", show: openChat },
  { name: "agents", show: at("/chatbot") },
  {
    name: "agent",
    whole: true,
    async show(page, url) {
      await page.goto(`${url}/chatbot`);
      await page.getByRole("main").getByRole("link", { name: AGENT }).first().click();
      await page.waitForURL(/\/chatbot\/./);
    },
  },
  { name: "new-agent", show: at("/criar-robo") },
  { name: "settings", whole: true, show: at("/settings") },
  { name: "settings-keys", show: at("/settings?aba=chaves") },
  { name: "settings-connection", show: at("/settings?aba=conexao") },
  { name: "settings-notifications", show: at("/settings?aba=notificacoes") },
  { name: "settings-activity", show: at("/settings?aba=atividade") },
  { name: "settings-usage", show: at("/settings?aba=uso") },
];

async function openPalette(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/`);
  await page.getByRole("button", { name: "Busca rápida" }).first().click();
  await page.getByRole("dialog").getByRole("combobox").fill("savassi");
  await page
    .getByRole("option", { name: /Savassi/ })
    .first()
    .waitFor();
}

const SHEET = `Nome;Celular;Última consulta;Médico;Valor
Ana Beatriz Rocha;31 98765-4321;12/10/2026;Dra. Lúcia;R$ 180,00
João Pedro Lima;31 98888-1212;03/11/2026;Dr. Renato;R$ 220,00
Marta Sales;31 99777-3030;;Dra. Lúcia;R$ 180,00
`;

async function openImport(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/contacts?abrir=importar`);
  const dialog = page.getByRole("dialog");
  await dialog
    .locator("input[type=file]")
    .setInputFiles({ name: "consultas.csv", mimeType: "text/csv", buffer: Buffer.from(SHEET) });
  await dialog.getByRole("button", { name: "Continuar" }).click();
  await dialog.getByRole("heading", { name: "Primeiras linhas" }).waitFor();
}

async function openPerson(page: Page, url: string): Promise<void> {
  const answer = await page.request.get(`${url}/api/people?limit=1`);
  const { items } = (await answer.json()) as { items: { id: number }[] };
  await page.goto(`${url}/contacts/pessoas/${items[0]?.id}`);
}

async function openChat(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/chat`);
  const chats = page.getByRole("navigation", { name: "Conversas" }).getByRole("link");
  await chats.first().waitFor();
  await chats.first().click();
  await page.getByRole("textbox", { name: "Mensagem" }).waitFor();
}

/** Lossless would be five times as large; the library cannot write WebP. */
async function takePicture(page: Page, file: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  await session.detach();
  fs.writeFileSync(file, Buffer.from(data, "base64"));
}

/** A window as high as the page: sticky parts would otherwise stand in the middle of the picture. */
async function wholeWindow(page: Page, width: number, height: number): Promise<void> {
  const needed = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.max(height, needed) });
}

const CALM_MS = 400;

async function settled(page: Page): Promise<void> {
  await page.locator("h1, h2").first().waitFor();
  await page.waitForFunction(
    (calmMs) => {
      const waiting = document.querySelector('[aria-busy="true"]');
      const loading = [...document.images].some((image) => !image.complete);
      const moving = document
        .getAnimations()
        .some(
          ({ playState, effect }) => playState === "running" && effect?.getTiming().iterations !== Infinity,
        );
      const fetched = performance
        .getEntriesByType("resource")
        .map(({ startTime, duration }) => startTime + duration);
      const busy = waiting || loading || moving || performance.now() - Math.max(0, ...fetched) < calmMs;
      return !busy && document.fonts.status === "loaded";
    },
    CALM_MS,
    { polling: 100 },
  );
}

async function signIn(context: BrowserContext, url: string): Promise<void> {
  const { email, password } = ACCOUNT;
  const answer = await context.request.post(`${url}/api/login`, {
    headers: { origin: url },
    data: { email, password },
  });
  if (!answer.ok()) throw new Error(`/api/login: ${answer.status()} ${await answer.text()}`);
}

const say = (text: string) => process.stdout.write(`${text}\n`);

const USAGE = `npm run pictures [-- NAME…]
names: ${SCREENS.map(({ name }) => name).join(", ")}`;
const { positionals: wanted } = commandLine(USAGE, { allowPositionals: true });
const screens = SCREENS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const unknown = wanted.filter((name) => !SCREENS.some((screen) => screen.name === name));
if (unknown.length > 0) refuse(`no screen is called ${unknown.join(", ")}\n${USAGE}`);

const stage = await openStage(await freePort());
const chrome = await chromium.launch(await browser());
try {
  await stage.fill((step) => say(`  ✓ ${step}`));
  fs.mkdirSync(FOLDER, { recursive: true });
  for (const theme of THEMES)
    for (const [width, height] of Object.entries(WIDTHS)) {
      const context = await chrome.newContext({
        locale: "pt-BR",
        timezoneId: "America/Sao_Paulo",
        colorScheme: theme,
        reducedMotion: "reduce",
        viewport: { width: Number(width), height },
      });
      const page = await context.newPage();
      let inside = false;
      for (const { name, outside, whole, show } of screens) {
        if (!outside && !inside) await signIn(context, stage.product.url);
        inside ||= !outside;
        await show(page, stage.product.url);
        await settled(page);
        if (whole) await wholeWindow(page, Number(width), height);
        await takePicture(page, path.join(FOLDER, `${name}-${width}-${theme}.webp`));
        if (whole) await page.setViewportSize({ width: Number(width), height });
      }
      await context.close();
      say(`  ✓ ${width} px, ${theme}`);
    }
} finally {
  await chrome.close();
  await stage.close();
}
