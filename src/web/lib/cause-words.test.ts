import { TriangleAlert, WifiOff } from "lucide-react";
import { expect, test } from "vitest";
import { causesText } from "../messages/campaign-causes.ts";
import { connectionsText } from "../messages/connections.ts";
import { causeIcon } from "../pages/campaigns/cause-icon.ts";

const CONNECTED = ["other_number"];

test("each reason that blocks a connection has its own text for campaigns", () => {
  const causes = Object.keys(connectionsText.causes).filter((cause) => !CONNECTED.includes(cause));
  expect(causes.filter((cause) => !(cause in causesText.down))).toEqual([]);
});

test("where waiting alone does not bring a connection back, its campaigns do not promise to continue", () => {
  const facts = { name: "Loja", since: "", until: null, accepted: 0 };
  for (const cause of ["gone", "withdrawn"])
    expect(causesText.down[cause]?.(facts).next).toMatch(/Reutilizar(?!.*continua sozinho)/);
});

test("who has their server from the administrator is not sent to mend its key", () => {
  const facts = { name: "Loja", since: "", until: null, accepted: 0 };
  expect(causesText.down.wrong_key?.(facts).next).toContain("se o administrador fornece o servidor, avise-o");
  expect(connectionsText.causes.wrong_key?.("", null)).toContain("se o administrador fornece este servidor");
});

test("only where the line is lost does a waiting campaign have the sign of a lost line", () => {
  const sign = (connectionCause: string | null) => causeIcon({ cause: "connection", connectionCause });
  for (const cause of ["network", "banned", "logged_out", "unreachable", null])
    expect(sign(cause), `${cause}`).toBe(WifiOff);
  const connected = [
    "timelocked",
    "new_chats_refused",
    "replies_refused",
    "devices_refused",
    "backlog_unread",
    "catching_up",
    "rate_limited",
    "not_sending",
    "upload_failed",
  ];
  for (const cause of connected) expect(sign(cause), cause).toBe(TriangleAlert);
});

test.each([
  ["timelocked", /continua recebendo/],
  [
    "new_chats_refused",
    /não diz até quando.*continua recebendo.*até hoje às 18:00, quando tentamos de novo.*no celular/,
  ],
  [
    "replies_refused",
    /até em conversas que já existem.*até hoje às 18:00, quando tentamos de novo.*no celular/,
  ],
])(
  "26.26 a number with the restriction %s says what waits, until when, and what can be done",
  (cause, words) => {
    const until = "hoje às 18:00";
    const { fact = "", next = "" } =
      causesText.down[cause]?.({ name: "Loja", since: "", until, accepted: 0 }) ?? {};
    expect(`${fact} ${next}`).toMatch(words);
    expect(connectionsText.causes[cause]?.("", until)).toContain(until);
    expect(connectionsText.causes[cause]?.("", null)).not.toContain("null");
  },
);
