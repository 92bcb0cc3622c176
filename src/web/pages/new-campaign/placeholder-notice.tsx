import { distinctPlaceholders, type Placeholder, replacePlaceholder } from "../../../domain/placeholders.ts";
import { lastLookText as t } from "../../messages/last-look.ts";
import { Notice } from "../../ui/notice.tsx";
import textLinkStyles from "../../ui/text-link.module.css";
import styles from "./new-campaign.module.css";

const MOST = 6;
const LONGEST = 60;

const cut = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

type Props = { text: string; fields: readonly string[]; onReplace: (text: string) => void };

export function PlaceholderNotice({ text, fields, onReplace }: Props) {
  const all = distinctPlaceholders(text, new Set(fields));
  return (
    <div role="status">
      {all.length > 0 && (
        <Notice tone="warning">
          {t.found}
          <ul className={styles.placeholders}>
            {all.slice(0, MOST).map((one) => (
              <li key={one.found}>
                <code>{cut(one.found)}</code>
                <Offer of={one} onReplace={() => onReplace(replacePlaceholder(text, one))} />
              </li>
            ))}
          </ul>
          {all.length > MOST && t.literalMore(all.length - MOST)}
        </Notice>
      )}
    </div>
  );
}

function Offer({ of: { found, replacement }, onReplace }: { of: Placeholder; onReplace: () => void }) {
  if (replacement === null) return <span>{t.byHand}</span>;
  const by = cut(replacement);
  return (
    <button
      type="button"
      className={textLinkStyles.link}
      data-ui="link"
      aria-label={by === "" ? t.removeSaid(cut(found)) : t.replaceSaid(cut(found), by)}
      onClick={onReplace}
    >
      {by === "" ? t.remove : t.replace(by)}
    </button>
  );
}

export function PlaceholderList({ text, fields }: { text: string; fields: ReadonlySet<string> }) {
  const all = distinctPlaceholders(text, fields);
  return (
    <p className={styles.placeholders}>
      {t.literal}{" "}
      {all.slice(0, MOST).map(({ found }) => (
        <code key={found}>{cut(found)} </code>
      ))}
      {all.length > MOST && t.literalMore(all.length - MOST)}
    </p>
  );
}
