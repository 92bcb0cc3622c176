import {
  Bot,
  LayoutDashboard,
  Megaphone,
  MessageCircle,
  MessageSquareText,
  QrCode,
  Server,
  Settings,
  Smartphone,
  Users,
} from "lucide-react";
import { shellText as t } from "../messages/shell.ts";

export const PLACES = [
  { to: "/", label: t.dashboard, icon: LayoutDashboard, exact: true },
  { to: "/contacts", label: t.contacts, icon: Users, exact: false },
  { to: "/whatsapp/connections", label: t.connections, icon: Smartphone, exact: false },
  { to: "/baileys", label: t.connect, icon: QrCode, exact: false },
  { to: "/campaigns", label: t.campaigns, icon: Megaphone, exact: false },
] as const;

export const MORE = [
  { to: "/chat", label: t.chat, icon: MessageCircle },
  { to: "/mensagens", label: t.library, icon: MessageSquareText },
  { to: "/instances", label: t.instances, icon: Server },
  { to: "/chatbot", label: t.agents, icon: Bot },
  { to: "/settings", label: t.settings, icon: Settings },
] as const;
