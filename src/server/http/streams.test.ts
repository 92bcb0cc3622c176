import sharp from "sharp";
import { expect, test } from "vitest";
import { campaignRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { composedApp } from "../../../tests/support/composed-app.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { mistralForTests } from "../../../tests/support/mistral.ts";
import { openApiDocument } from "./openapi.ts";

const database = await testDatabase();
const { db } = database;
const { app, signUp } = await composedApp(database, await mistralForTests());

test("files and streams are described as what they are", async () => {
  const { id, cookie } = await signUp("ana");
  const list = await listRow(db, id, 1);
  const campaign = await campaignRow(db, id, { people: { sent: 1 } });
  const body = await sharp({ create: { width: 2, height: 2, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  const headers = { cookie, "content-type": "image/png" };
  const stored = await app.hono.request("/api/attachments", { method: "POST", headers, body });
  const { id: image } = (await stored.json()) as { id: number };
  const { paths } = await openApiDocument(app.endpoints, { version: "1.0.0", sessionCookie: "" });
  for (const [path, row] of [
    ["/Modelo.csv", 0],
    ["/api/contact-lists/{id}/export", list],
    ["/api/campaigns/{id}/deliveries.csv", campaign],
    ["/api/campaigns/{id}/failures", campaign],
    ["/api/attachments/{id}", image],
    ["/api/settings/export", 0],
    ["/api/events", 0],
  ] as const) {
    const answer = await app.hono.request(path.replace("{id}", String(row)), { headers: { cookie } });
    expect([path, answer.status]).toEqual([path, 200]);
    const contentType = answer.headers.get("content-type") ?? "";
    await answer.body?.cancel();
    const [said = ""] = Object.keys((paths[path]?.get?.responses[200]?.content ?? {}) as object);
    expect([path, contentType]).toEqual([
      path,
      expect.stringMatching(new RegExp(`^${said.replaceAll("*", "\\w+")}(;|$)`)),
    ]);
  }
});
