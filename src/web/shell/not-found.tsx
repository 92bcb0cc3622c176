import { Compass } from "lucide-react";
import { shellText } from "../messages/shell.ts";
import { Icon } from "../ui/icon.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { usePageTitle } from "../ui/page.tsx";

const t = shellText.notFound;

export function NotFound() {
  usePageTitle(t.title);
  return (
    <main id="content" tabIndex={-1} className="grid min-h-dvh place-items-center">
      <div className="blank">
        <span className="ico">
          <Icon of={Compass} />
        </span>
        <h1 className="text-xl font-semibold tracking-tight">{t.title}</h1>
        <p>{t.text}</p>
        <div className="actions">
          <LinkButton to="/" look="primary">
            {t.back}
          </LinkButton>
        </div>
      </div>
    </main>
  );
}
