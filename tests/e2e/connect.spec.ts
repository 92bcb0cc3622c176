import { expect, type Page } from "@playwright/test";
import type { LocalSimulator } from "../../simulators/whatsapp/local.ts";
import { signUpUnseen } from "./support/person.ts";
import { pressSays } from "./support/press-says.ts";
import { test } from "./support/product.ts";

const PHONE = "5531907773055";
const SHOWN = "+55 31 90777-3055";

async function startConnecting(page: Page, place: string) {
  await page.goto(place);
  await expect(page.getByRole("status").getByText("Desconectado")).toBeVisible();
  await page.getByLabel("Número do WhatsApp").fill(SHOWN);
  await page.getByLabel("Nome da Conexão").fill("Atendimento");
  await page.getByRole("button", { name: "Conectar", exact: true }).click();
}

async function codeToScan(page: Page): Promise<string> {
  const answer = await page.request.get(`/api/whatsapp/qr/${PHONE}`);
  return ((await answer.json()) as { qr: string }).qr;
}

test("a number is connected by its QR code, disconnected, connected again and deleted, and one that is lost is reported @spec 0.1,1.4,2.66,2.67,2.68,4.13,4.15,4.16,4.17,5.14,7.22 @decision 18,19", async ({
  page,
  whatsapp,
}) => {
  await signUpUnseen(page);
  await startConnecting(page, "/baileys");
  const dialog = page.getByRole("dialog", { name: "Escaneie o QR Code" });
  await expect(dialog).toContainText(`Atendimento, ${SHOWN}`);
  const picture = dialog.getByRole("img", { name: "QR Code para conectar o WhatsApp" });
  await expect(picture).toHaveAttribute("width", "220");
  await expect(picture).toHaveAttribute("height", "220");
  await expect(dialog.getByText(/Novo código em \d:\d\d/)).toBeVisible();
  await expect(dialog.getByRole("status")).toHaveText("Aguardando escaneamento do QR Code...");
  for (const step of ["WhatsApp", "Menu", "Dispositivos conectados", "Conectar um dispositivo"])
    await expect(dialog.getByRole("listitem").getByText(step, { exact: true })).toBeVisible();

  await whatsapp.control.scan({ qr: await codeToScan(page), phone: PHONE });
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
  await whatsapp.control.scan({ qr: await codeToScan(page), phone: PHONE });
  await expect(row.getByText("Conectado", { exact: true })).toBeVisible();

  await row.getByRole("button", { name: "Ações de Atendimento" }).click();
  await page.getByRole("menuitem", { name: "Excluir" }).click();
  await expect(
    question.getByRole("heading", { name: "Tem certeza que deseja excluir esta conexão?" }),
  ).toBeVisible();
  await question.getByRole("button", { name: "Excluir" }).click();
  await expect(page.getByText("Nenhuma conexão encontrada")).toBeVisible();

  await startConnecting(page, "/baileys");
  await expect(dialog.getByText(/Novo código em/)).toBeVisible();
  await whatsapp.control.scan({ qr: await codeToScan(page), phone: PHONE });
  await loseAndReconnect(page, whatsapp);
});

async function loseAndReconnect(page: Page, { control }: LocalSimulator): Promise<void> {
  const shown = (status: string) => page.getByRole("status").getByText(status, { exact: true });
  await expect(shown("Conectado")).toBeVisible();
  await control.removeDevice({ phone: PHONE });
  await expect(shown("Desconectado")).toBeVisible();
  await expect(page.getByText("A sessão foi encerrada no celular.")).toBeVisible();
  await page.getByRole("button", { name: "Conectar", exact: true }).click();
  await expect(page.getByRole("dialog").getByText(/Novo código em/)).toBeVisible();
  await control.scan({ qr: await codeToScan(page), phone: "5531907779999" });
  await expect(shown("Conectado")).toBeVisible();
  await expect(page.getByText("Outro celular leu o código: as mensagens saem do número dele.")).toBeVisible();
}

test("a number is connected by a code that is typed on the telephone @decision 19", async ({
  page,
  whatsapp,
}) => {
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/pairing-code")) asked++;
  });
  await signUpUnseen(page);
  await startConnecting(page, "/whatsapp/connect");
  await page.getByRole("tab", { name: "Código de pareamento" }).click();
  const dialog = page.getByRole("dialog", { name: "Digite o código no celular" });
  const shown = dialog.getByRole("img", { name: /^Código de pareamento: / });
  await expect(shown).toBeVisible();
  await expect(dialog.getByText(/Vale por \d:\d\d/)).toBeVisible();
  const code = ((await shown.getAttribute("aria-label")) ?? "").split(": ")[1]?.replace(/[ ,]/g, "") ?? "";
  expect(code).toMatch(/^[A-Z0-9]{8}$/);
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

  await whatsapp.control.typeCode({ code, phone: PHONE });
  await expect(page.getByText("WhatsApp conectado com sucesso!")).toBeVisible();
  await expect(dialog).toBeHidden();
  expect(asked).toBe(1);
});
