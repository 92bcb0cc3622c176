import { counted } from "../format.ts";
import type { shellText as portuguese } from "../shell.ts";
import type { Texts } from "../texts.ts";

const unread = (count: number) => counted(count, "unread message", "unread messages");

export const shellText: Texts<typeof portuguese> = {
  main: "Main",
  menu: "Menu",
  openMenu: "Open menu",
  openMenuUnread: (count) => `Open menu, ${unread(count)}`,
  unread,
  search: "Quick search",
  dashboard: "Dashboard",
  contacts: "Contacts",
  connections: "Connections",
  connect: "Connect WhatsApp",
  campaigns: "Campaigns",
  more: "More",
  chat: "Chat",
  library: "Messages",
  instances: "Evolution",
  agents: "My Bots",
  settings: "Settings",
  logout: "Log Out",
  logoutFailed: "You could not be logged out. Try again.",
  unsent: {
    question: "Log out without sending?",
    lost: "What you wrote in the chat and have not sent yet is lost.",
    verb: "Log out without sending",
    back: "Stay here",
    failed: "You could not be logged out.",
  },
  keptLost: "The campaign that you began to write and did not save is lost.",
  account: "Account menu:",
  themes: { light: "Light", dark: "Dark", system: "Same as system" },
  running: (count, end) =>
    `${count} ${count === 1 ? "campaign" : "campaigns"} in progress${end ? `, ends ${end}` : ""}`,
  runningMany: (count, end) => `${count} campaigns in progress, end ${end}`,
  away: "No contact with the server. What is on the screen may be out of date.",
  offline: "You are offline. What is on the screen may be out of date.",
  notFound: {
    title: "Page Not Found",
    text: "The address may have changed or be incomplete.",
    back: "Back to the Dashboard",
  },
  failed: "This screen could not be opened",
  failedText: "Reload the page. Your campaigns are not affected: they go on at the server.",
  failedOffline: "It opens by itself when you are back online.",
  reload: "Reload",
};
