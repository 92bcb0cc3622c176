import type { shellText as portuguese } from "../shell.ts";
import type { Texts } from "../texts.ts";

export const shellText: Texts<typeof portuguese> = {
  main: "Main",
  menu: "Menu",
  openMenu: "Open menu",
  search: "Quick search",
  dashboard: "Dashboard",
  contacts: "Contacts",
  connections: "Connections",
  connect: "Connect WhatsApp",
  campaigns: "Campaigns",
  more: "More",
  chat: "Chat",
  instances: "Evolution",
  agents: "My Bots",
  settings: "Settings",
  logout: "Log Out",
  logoutFailed: "You could not be logged out. Try again.",
  theme: "Theme and language",
  themes: { light: "Light", dark: "Dark", system: "Same as system" },
  running: (count, end) =>
    `${count} ${count === 1 ? "campaign" : "campaigns"} in progress${end ? `, ends ${end}` : ""}`,
  runningMany: (count, end) => `${count} campaigns in progress, end ${end}`,
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
