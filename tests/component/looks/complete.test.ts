import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const WEB = path.join(import.meta.dirname, "../../../src/web");

const rows = fs
  .readdirSync(import.meta.dirname)
  .filter((file) => /^[a-z-]+\.ts$/.test(file))
  .flatMap((file) => [
    ...fs
      .readFileSync(path.join(import.meta.dirname, file), "utf8")
      .matchAll(/\[\s*"([a-z-]+)",\s*["`](\/[^"`]*)["`]/g),
  ])
  .map(([, name = "", address = ""]) => ({ name, address }));

const DIALOGS: Record<string, string> = {
  "assistant/assistant-dialog.tsx": "instance-assistant",
  "audience/segment-dialog.tsx": "segment",
  "audience/segments-dialog.tsx": "segments",
  "library/pick-template-dialog.tsx": "template-pick",
  "library/template-dialog.tsx": "template-edit",
  "pages/agents/mistral-key.tsx": "agents-key",
  "pages/agents/remove-agent-dialog.tsx": "remove-agent",
  "pages/campaigns/asked-dialog.tsx": "campaign-delete",
  "pages/campaigns/details/details-dialog.tsx": "details",
  "pages/campaigns/details/resolve-menu.tsx": "details-resend",
  "pages/campaigns/reason-dialog.tsx": "campaign-despite",
  "pages/chat/answers-dialog.tsx": "chat-answers",
  "pages/chat/delete-dialog.tsx": "chat-delete",
  "pages/chat/failure.tsx": "chat-resend",
  "pages/chat/forward-dialog.tsx": "chat-forward",
  "pages/chat/later-dialog.tsx": "chat-later",
  "pages/chat/message-picture.tsx": "chat-picture",
  "pages/chat/new-chat-dialog.tsx": "new-chat",
  "pages/chat/save-card-dialog.tsx": "chat-save-card",
  "pages/connections/leave-dialogs.tsx": "remove-connection",
  "pages/contacts/delete-list-dialog.tsx": "delete-list",
  "pages/contacts/export-dialog.tsx": "export",
  "pages/contacts/import-columns-step.tsx": "import-columns-chosen",
  "pages/contacts/import-file-step.tsx": "import",
  "pages/contacts/import-lists-step.tsx": "import-broken-names",
  "pages/contacts/import-report.tsx": "import-report",
  "pages/contacts/list-dialog.tsx": "list",
  "pages/contacts/new-contact-dialog.tsx": "new-contact",
  "pages/contacts/opt-outs-dialog.tsx": "opt-outs",
  "pages/contacts/person-dialog.tsx": "person",
  "pages/instances/adopt-dialog.tsx": "instance-adopt",
  "pages/instances/delete-gateway-dialog.tsx": "gateway-delete",
  "pages/instances/delete-instance-dialog.tsx": "instance-delete",
  "pages/instances/gateway-dialog.tsx": "gateway-edit",
  "pages/instances/new-instance-dialog.tsx": "new-instance",
  "pages/instances/oddities-dialog.tsx": "instance-misunderstood",
  "pages/instances/qr-dialog.tsx": "instance-qr",
  "pages/instances/webhook-dialog.tsx": "instance-webhook",
  "pages/library/remove-template-dialog.tsx": "template-remove",
  "pages/new-campaign/last-look.tsx": "last-look",
  "pages/new-campaign/names-dialog.tsx": "audience-names",
  "pages/new-campaign/pick-dialog.tsx": "audience-pick",
  "pages/new-campaign/risk-dialog.tsx": "risk",
  "pages/number/plan-dialog.tsx": "number-plan-risky",
  "pages/people/columns-dialog.tsx": "people-remove-field",
  "pages/people/erase-person-dialog.tsx": "person-erase",
  "pages/people/merge-dialog.tsx": "person-merge",
  "pages/people/naming-dialog.tsx": "people-duplicate",
  "pages/people/person-dialog.tsx": "people-add",
  "pages/people/put-in-list-dialog.tsx": "people-put",
  "pages/people/remove-people-dialog.tsx": "people-remove",
  "pages/people/take-out-dialog.tsx": "people-take-out",
  "pages/settings/new-key-dialog.tsx": "key-made",
  "pages/settings/remove-dialog.tsx": "remove-account",
  "pages/settings/revoke-dialog.tsx": "revoke-key",
  "palette/palette.tsx": "palette",
  "pairing/pairing-dialog.tsx": "pairing-scan",
  "session/sign-out.tsx": "sign-out",
  "shell/drawer.tsx": "drawer",
  "ui/use-unsaved.tsx": "unsaved",
};

test("every address of the product is in the matrix of looks", () => {
  const router = fs.readFileSync(path.join(WEB, "app/router.tsx"), "utf8");
  const routes = [...router.matchAll(/\bpath: "([^"]+)"/g)].map(([, route = ""]) => route);
  expect(routes.length).toBeGreaterThan(15);
  const isSeen = (route: string) => {
    const pattern = new RegExp(`^${route.replace(/\$\w+/g, "[^/?#]+")}([?#]|$)`);
    return rows.some(({ address }) => pattern.test(address));
  };
  expect(routes.filter((route) => !isSeen(route))).toEqual([]);
});

test("every dialog is in the matrix of looks", () => {
  const drawn = fs
    .readdirSync(WEB, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".tsx") && !/^ui\/(form-|confirm-)?dialog\.tsx$/.test(file))
    .filter((file) =>
      /<(Dialog|ConfirmDialog|FormDialog|Dialog\.Content)\b/.test(
        fs.readFileSync(path.join(WEB, file), "utf8"),
      ),
    );
  expect(Object.keys(DIALOGS).toSorted()).toEqual(drawn.toSorted());
  const names = new Set(rows.map(({ name }) => name));
  expect(Object.values(DIALOGS).filter((name) => !names.has(name))).toEqual([]);
});
