import { expect, type Page, test } from "@playwright/test";
import { type LocalSimulator, startLocalSimulator } from "../../simulators/whatsapp/local.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { heldAnswer } from "./support/held-answer.ts";
import { signUpUnseen } from "./support/person.ts";
import { timeBetween } from "./support/polling.ts";
import { pressSays } from "./support/press-says.ts";

const PHONE = "5531907773055";
const SHOWN = "+55 31 90777-3055";

let simulator: LocalSimulator;
let product: ProductServer;

test.beforeAll(async () => {
  simulator = await startLocalSimulator();
  product = await startProduct({
    preload: ["simulators/whatsapp/preload.ts"],
    env: { RECADO_SIMULATOR: simulator.controlUrl },
  });
});
test.afterAll(async () => {
  await product.close();
  await simulator.stop();
});
test.afterEach(async () => {
  await simulator.control.reset({});
});

async function startConnecting(page: Page, place = "/baileys") {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}${place}`);
  await expect(page.getByRole("status").getByText("Desconectado")).toBeVisible();
  await page.getByLabel("Número do WhatsApp").fill(SHOWN);
  await page.getByLabel("Nome da Conexão").fill("Atendimento");
  await page.getByRole("button", { name: "Conectar", exact: true }).click();
}

async function codeToScan(page: Page): Promise<string> {
  const answer = await page.request.get(`${product.url}/api/whatsapp/qr/${PHONE}`);
  return ((await answer.json()) as { qr: string }).qr;
}

test("a number is connected by its QR code, disconnected, connected again and deleted @spec 0.1,1.4,2.66,2.67,2.68,4.13,4.15,4.16,4.17,5.14,7.22 @decision 18,19", async ({
  page,
}) => {
  await startConnecting(page);
  const dialog = page.getByRole("dialog", { name: "Escaneie o QR Code" });
  await expect(dialog).toContainText(`Atendimento, ${SHOWN}`);
  const picture = dialog.getByRole("img", { name: "QR Code para conectar o WhatsApp" });
  await expect(picture).toHaveAttribute("width", "220");
  await expect(picture).toHaveAttribute("height", "220");
  await expect(dialog.getByText(/Novo código em \d:\d\d/)).toBeVisible();
  await expect(dialog.getByRole("status")).toHaveText("Aguardando escaneamento do QR Code...");
  for (const step of ["WhatsApp", "Menu", "Dispositivos conectados", "Conectar um dispositivo"])
    await expect(dialog.getByRole("listitem").getByText(step, { exact: true })).toBeVisible();
  await expectAccessible(page);

  await simulator.control.scan({ qr: await codeToScan(page), phone: PHONE });
  await expect(page.getByText("WhatsApp conectado com sucesso!")).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("status").getByText("Conectado", { exact: true })).toBeVisible();

  await page.getByRole("link", { name: "Ver conexões" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "Atendimento" });
  await expect(row).toContainText(PHONE);
  await expect(row.getByText("Conectado", { exact: true })).toBeVisible();
  await row.getByRole("button", { name: "Ações de Atendimento" }).click();
  await page.getByRole("menuitem", { name: "Desconectar" }).click();
  const question = page.getByRole("alertdialog");
  await expect(question.getByRole("heading", { name: "Desconectar Atendimento?" })).toBeVisible();
  await question.getByRole("button", { name: "Desconectar" }).click();
  await expect(row.getByText("Desconectado", { exact: true })).toBeVisible();

  await row.getByRole("button", { name: "Ações de Atendimento" }).click();
  await page.getByRole("menuitem", { name: "Reconectar" }).click();
  await expect(picture).toBeVisible();
  await simulator.control.scan({ qr: await codeToScan(page), phone: PHONE });
  await expect(row.getByText("Conectado", { exact: true })).toBeVisible();

  await row.getByRole("button", { name: "Ações de Atendimento" }).click();
  await page.getByRole("menuitem", { name: "Excluir" }).click();
  await expect(
    question.getByRole("heading", { name: "Tem certeza que deseja excluir esta conexão?" }),
  ).toBeVisible();
  await question.getByRole("button", { name: "Excluir" }).click();
  await expect(page.getByText("Nenhuma conexão encontrada")).toBeVisible();
});

test("a number is connected by a code that is typed on the telephone @decision 19", async ({ page }) => {
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/pairing-code")) asked++;
  });
  await startConnecting(page, "/whatsapp/connect");
  await page.getByRole("tab", { name: "Código de pareamento" }).click();
  const dialog = page.getByRole("dialog", { name: "Digite o código no celular" });
  const shown = dialog.getByRole("img", { name: /^Código de pareamento: / });
  await expect(shown).toBeVisible();
  await expect(dialog.getByText(/Vale por \d:\d\d/)).toBeVisible();
  await expectAccessible(page);
  const code = ((await shown.getAttribute("aria-label")) ?? "").split(": ")[1]?.replace(/[ ,]/g, "") ?? "";
  expect(code).toMatch(/^[A-Z0-9]{8}$/);
  // With text twice as large on a telephone no letter is cut.
  await page.setViewportSize({ width: 390, height: 844 });
  const browser = await page.context().newCDPSession(page);
  const letTextBe = (standard: number) => browser.send("Page.setFontSizes", { fontSizes: { standard } });
  await browser.send("Page.enable");
  await letTextBe(32);
  const farthest = () =>
    shown.locator("span").evaluateAll((letters) => {
      const edges = letters.map((letter) => letter.getBoundingClientRect());
      const left = Math.min(...edges.map((edge) => edge.left));
      return left < 0 ? Number.POSITIVE_INFINITY : Math.max(...edges.map(({ right }) => right));
    });
  const root = () => page.evaluate(() => getComputedStyle(document.documentElement).fontSize);
  await expect.poll(root).toBe("32px");
  await expect.poll(farthest).toBeLessThanOrEqual(390);
  await letTextBe(16);
  await page.setViewportSize({ width: 1280, height: 720 });
  await pressSays(dialog.getByRole("button", { name: "Copiar" }), "Copiado!");
  for (const tab of ["QR Code", "Código de pareamento"]) await page.getByRole("tab", { name: tab }).click();
  await expect(shown).toBeVisible();

  await simulator.control.typeCode({ code, phone: PHONE });
  await expect(page.getByText("WhatsApp conectado com sucesso!")).toBeVisible();
  await expect(dialog).toBeHidden();
  expect(asked).toBe(1);
});

test("26.17 on a telephone the code to type comes first, and after it the next step is offered", async ({
  browser,
}) => {
  const telephone = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } };
  const context = await browser.newContext(telephone);
  const page = await context.newPage();
  await startConnecting(page);
  await expect(page.getByRole("tab").first()).toHaveText("Código de pareamento");
  const shown = page.getByRole("img", { name: /^Código de pareamento: / });
  await expect(shown).toBeVisible();
  const code = ((await shown.getAttribute("aria-label")) ?? "").split(": ")[1]?.replace(/[ ,]/g, "") ?? "";
  await simulator.control.typeCode({ code, phone: PHONE });
  const form = page.getByRole("region", { name: "Conectar WhatsApp" });
  await form.getByRole("link", { name: "Importar contatos" }).click();
  await expect(page.getByRole("dialog", { name: "Importar" })).toBeVisible();
  await context.close();
});

test("where WhatsApp cannot be reached it is said, and the code comes once it can", async ({ page }) => {
  await simulator.control.faults({ unreachable: true });
  await startConnecting(page);
  const form = page.getByRole("region", { name: "Conectar WhatsApp" });
  await expect(form).toContainText("O servidor não alcança o WhatsApp.");
  await page.getByRole("button", { name: "Mostrar QR Code" }).click();
  const dialog = page.getByRole("dialog", { name: "Escaneie o QR Code" });
  await expect(dialog).toContainText("O servidor não alcança o WhatsApp.");
  await expectAccessible(page);
  await simulator.control.faults({ unreachable: false });
  await expect(dialog.getByRole("img", { name: "QR Code para conectar o WhatsApp" })).toBeVisible();
  await expect(page.getByText("O servidor não alcança o WhatsApp.")).toHaveCount(0);
});

test("the code is copied also where the browser withholds its clipboard (plain http)", async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await startConnecting(page);
  await page.getByRole("tab", { name: "Código de pareamento" }).click();
  const dialog = page.getByRole("dialog");
  await pressSays(dialog.getByRole("button", { name: "Copiar" }), "Copiado!");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await page.getByLabel("Nome da Conexão").fill("");
  await page.getByLabel("Nome da Conexão").press("Control+V");
  await expect(page.getByLabel("Nome da Conexão")).toHaveValue(/^[A-Z0-9-]{8,9}$/);
});

test("«Copiado!» stands there for a second and a half @spec 2.64,9.11", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await startConnecting(page);
  await page.getByRole("tab", { name: "Código de pareamento" }).click();
  const copy = page.getByRole("dialog").getByRole("button", { name: /^(Copiar|Copiado!)$/ });
  await expect(copy).toHaveText("Copiar");
  // By the page's own clock, in steps: a busy machine must not make it look slow.
  await page.clock.install();
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
  const stood = await copy.evaluateHandle((button) => {
    const watched = { since: 0, ms: 0 };
    new MutationObserver(() => {
      if (button.textContent?.includes("Copiado!")) watched.since = performance.now();
      else if (watched.since > 0) watched.ms = performance.now() - watched.since;
    }).observe(button, { subtree: true, childList: true, characterData: true });
    (button as HTMLElement).click();
    return watched;
  });
  await expect(copy).toHaveText("Copiado!");
  await expect
    .poll(
      async () => {
        await page.clock.runFor(50);
        return stood.evaluate(({ ms }) => ms);
      },
      { intervals: [1] },
    )
    .toBeGreaterThan(0);
  const ms = await stood.evaluate((watched) => watched.ms);
  expect(ms).toBeGreaterThanOrEqual(1_500);
  expect(ms).toBeLessThan(1_600);
});

test("while it connects the button turns; the fields say what they want @spec 2.66,2.67,4.15,4.17,5.13", async ({
  page,
}) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/baileys`);
  await expect(page.getByRole("heading", { level: 1, name: "Conectar WhatsApp" })).toBeVisible();
  await expect(page.getByLabel("Número do WhatsApp")).toHaveAttribute(
    "placeholder",
    /^\+55 \d\d \d{5}-\d{4}$/,
  );
  await page.route("**/api/whatsapp/connect", async (route) => {
    const button = page.getByRole("main").locator("button[type=submit]");
    await expect(button).toBeDisabled();
    await expect(button.locator("[class*=text_spin]")).toBeVisible();
    await expect(page.getByRole("status").getByText("Conectando...")).toBeVisible();
    await route.continue();
  });
  await page.getByLabel("Número do WhatsApp").fill(SHOWN);
  await page.getByRole("button", { name: "Conectar", exact: true }).click();
  await expect(page.getByRole("dialog")).toContainText(`WhatsApp ${SHOWN}`);
});

test("the code is enlarged and made small again @decision 29", async ({ page }) => {
  await startConnecting(page);
  const code = page.getByRole("dialog").getByRole("img", { name: "QR Code para conectar o WhatsApp" });
  await expect(code).toHaveAttribute("width", "220");
  await page.getByRole("button", { name: "Ampliar" }).click();
  await expect(code).toHaveAttribute("width", "340");
  await page.getByRole("button", { name: "Reduzir" }).click();
  await expect(code).toHaveAttribute("width", "220");
});

test("without the stream of changes the code and the states come by asking, every few seconds @spec 4.15,4.17", async ({
  page,
}) => {
  await page.route("**/api/events*", (route) => route.abort());
  await startConnecting(page);
  const dialog = page.getByRole("dialog", { name: "Escaneie o QR Code" });
  await expect(dialog.getByRole("img", { name: "QR Code para conectar o WhatsApp" })).toBeVisible();
  await simulator.control.scan({ qr: await codeToScan(page), phone: PHONE });
  await expect(page.getByText("WhatsApp conectado com sucesso!")).toBeVisible();
  await expect(dialog).toBeHidden();
});

test("without the stream the page polls: every 2 s for a code, every 5 s for state @spec 7.21,8.24,9.14 @decision 19", async ({
  page,
}) => {
  await page.route("**/api/events*", (route) => route.abort());
  let mode = "without a code" as "without a code" | "as it is" | "lost";
  let lost = 0;
  await page.route("**/api/connections", async (route) => {
    if (mode === "lost") {
      lost++;
      return route.abort();
    }
    if (mode === "as it is") return route.continue();
    const answer = await route.fetch();
    const { connections } = (await answer.json()) as { connections: object[] };
    const waiting = connections.map((each) => ({ ...each, state: "connecting", qr: null }));
    return route.fulfill({ response: answer, json: { connections: waiting } });
  });
  await page.clock.install();
  await startConnecting(page);
  await expect(page.getByRole("status").getByText("Conectando...")).toBeVisible();
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
  const between = () => timeBetween(page, "/api/connections");
  const forACode = await between();
  expect(forACode).toBeGreaterThanOrEqual(1_750);
  expect(forACode).toBeLessThanOrEqual(2_750);
  mode = "as it is";
  const code = page.getByRole("dialog").getByRole("img", { name: "QR Code para conectar o WhatsApp" });
  const goesOnUntil = (visible: boolean) =>
    expect(async () => {
      await page.clock.runFor(250);
      await expect(code).toBeVisible({ visible, timeout: 50 });
    }).toPass();
  await goesOnUntil(true);
  const forTheState = await between();
  expect(forTheState).toBeGreaterThanOrEqual(4_750);
  expect(forTheState).toBeLessThanOrEqual(5_750);
  mode = "lost";
  // A lost request is repeated once; the third request shows that the page took the first two for an error.
  await expect
    .poll(async () => {
      await page.clock.runFor(500);
      return lost;
    })
    .toBeGreaterThan(2);
  await expect(code).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
  mode = "as it is";
  await simulator.control.scan({ qr: await codeToScan(page), phone: PHONE });
  await goesOnUntil(false);
});

test("a number that is connected already is said to be so, without a window @spec 4.14", async ({ page }) => {
  await startConnecting(page);
  await expect(page.getByRole("dialog").getByText(/Novo código em/)).toBeVisible();
  await simulator.control.scan({ qr: await codeToScan(page), phone: PHONE });
  await expect(page.getByText("WhatsApp conectado com sucesso!")).toBeVisible();
  await page.reload();
  await expect(page.getByRole("status").getByText("Desconectado")).toBeVisible();
  await page.getByLabel("Número do WhatsApp").fill(SHOWN);
  await page.getByRole("button", { name: "Conectar", exact: true }).click();
  await expect(page.getByText("WhatsApp conectado com sucesso!")).toBeVisible();
  await expect(page.getByRole("status").getByText("Conectado", { exact: true })).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("a computer whose clock is wrong still shows the code's time", async ({ page }) => {
  await page.clock.setFixedTime(new Date(Date.now() - 7 * 60_000));
  await startConnecting(page);
  // The page's clock stands still, so the server's time to make the code adds to its minute; seven minutes
  // never do.
  await expect(page.getByRole("dialog").getByText(/Novo código em (0:[1-5]\d|1:\d\d)/)).toBeVisible();
});

test("a pairing code that WhatsApp refuses is said, and the QR code stays the way", async ({ page }) => {
  await simulator.control.faults({ rejectPairingCode: true });
  await startConnecting(page);
  await page.getByRole("tab", { name: "Código de pareamento" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("alert")).toContainText(
    "O WhatsApp recusou o código de pareamento. Use o QR Code.",
  );
  const { asked, answer } = await heldAnswer(page, /\/pairing-code$/);
  await dialog.getByRole("button", { name: "Gerar novo código" }).click();
  await asked;
  await expect(dialog.getByText("Pedindo um código ao WhatsApp...")).toBeVisible();
  answer();
});

test("the window may be closed and opened again while the code waits @spec 2.68,4.17", async ({ page }) => {
  await startConnecting(page);
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("img", { name: "QR Code para conectar o WhatsApp" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  const waiting = page.getByRole("status").getByText("Aguardando escaneamento do QR Code...");
  await expect(waiting).toBeVisible();
  await simulator.control.faults({ unreachable: true });
  await simulator.control.cut({});
  await expect(page.getByText("O servidor não alcança o WhatsApp.")).toBeVisible();
  await simulator.control.faults({ unreachable: false });
  await expect(waiting).toBeVisible();
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: "Mostrar QR Code" }).click();
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");

  await page.getByRole("navigation").getByRole("link", { name: "Conexões" }).click();
  await expect(page.getByText("Aguardando conexão", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Mostrar QR Code" }).click();
  await expect(dialog.getByRole("img", { name: "QR Code para conectar o WhatsApp" })).toBeVisible();
});

test("a number that is lost once it was connected is not said to be connected, and can be connected again", async ({
  page,
}) => {
  await startConnecting(page);
  await expect(page.getByRole("dialog").getByText(/Novo código em/)).toBeVisible();
  await simulator.control.scan({ qr: await codeToScan(page), phone: PHONE });
  await expect(page.getByRole("status").getByText("Conectado", { exact: true })).toBeVisible();
  await simulator.control.removeDevice({ phone: PHONE });
  await expect(page.getByRole("status").getByText("Desconectado", { exact: true })).toBeVisible();
  await expect(page.getByText("A sessão foi encerrada no celular.")).toBeVisible();
  await page.getByRole("button", { name: "Conectar", exact: true }).click();
  await expect(page.getByRole("dialog").getByText(/Novo código em/)).toBeVisible();
  await simulator.control.scan({ qr: await codeToScan(page), phone: "5531907779999" });
  await expect(page.getByRole("status").getByText("Conectado", { exact: true })).toBeVisible();
  await expect(page.getByText("Outro celular leu o código: as mensagens saem do número dele.")).toBeVisible();
});

test("a number that another window removes while its code waits is waited for no more", async ({ page }) => {
  await startConnecting(page);
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText(/Novo código em/)).toBeVisible();
  const remove = () =>
    page.request.delete(`${product.url}/api/whatsapp/devices/${PHONE}`, { headers: { origin: product.url } });
  expect((await remove()).ok()).toBe(true);
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("status").getByText("Desconectado", { exact: true })).toBeVisible();

  await page.getByRole("button", { name: "Conectar", exact: true }).click();
  await expect(dialog.getByText(/Novo código em/)).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("navigation").getByRole("link", { name: "Conexões" }).click();
  await page.getByRole("listitem").getByRole("button", { name: "Mostrar QR Code" }).click();
  await expect(dialog.getByText(/Novo código em/)).toBeVisible();
  expect((await remove()).ok()).toBe(true);
  await expect(dialog).toBeHidden();
  await expect(page.getByText("Nenhuma conexão encontrada")).toBeVisible();
});

test("what breaks the connection is said in the list, in words @decision 19", async ({ page }) => {
  await startConnecting(page);
  await expect(page.getByRole("dialog").getByText(/Novo código em/)).toBeVisible();
  await simulator.control.scan({ qr: await codeToScan(page), phone: PHONE });
  await expect(page.getByText("WhatsApp conectado com sucesso!")).toBeVisible();
  await page.getByRole("link", { name: "Ver conexões" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "Atendimento" });
  await expect(row.getByText("Conectado", { exact: true })).toBeVisible();
  await simulator.control.removeDevice({ phone: PHONE });
  await expect(row.getByText("Desconectado", { exact: true })).toBeVisible();
  await expect(row).toContainText("A sessão foi encerrada no celular. Reconecte com um novo QR Code.");
});
