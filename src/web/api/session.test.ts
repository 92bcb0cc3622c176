import { expect, test } from "vitest";
import { person } from "../../../tests/component/support/world.ts";
import { makeSession } from "./session.ts";

/** What other tabs hear until `last` signs in. */
function heardUntil(last: string): Promise<unknown[]> {
  const other = new BroadcastChannel("recado-session");
  const heard: unknown[] = [];
  return new Promise((resolve) => {
    other.onmessage = ({ data }: MessageEvent) => {
      heard.push(data);
      if (data !== last) return;
      other.close();
      resolve(heard);
    };
  });
}

test("an answer for a user who has left signs no other tab out", async () => {
  const [ana, bia] = [person(), person()];
  const heard = heardUntil(bia.id);
  const session = makeSession(() => undefined);
  session.remember(ana);
  session.update({ ...ana, name: "Ana Maria" });
  session.forget();
  session.update(ana);
  expect(session.forget()).toBe(false);
  session.remember(bia);
  session.update(ana);
  expect(await heard).toEqual([ana.id, ana.id, bia.id]);
});
