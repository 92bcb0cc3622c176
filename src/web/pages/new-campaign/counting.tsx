import { LoaderCircle } from "lucide-react";
import { audienceText as t } from "../../messages/audience.ts";
import { Icon } from "../../ui/icon.tsx";
import textStyles from "../../ui/text.module.css";
import styles from "./ledger.module.css";
import type { CountedAudience } from "./use-audience-count.ts";

export function Counting({ audience }: { audience: CountedAudience }) {
  if (audience.isFresh || !audience.isFetching) return null;
  return (
    <span className={styles.counting}>
      <Icon of={LoaderCircle} sm className={textStyles.spin} />
      {t.counting}
    </span>
  );
}
