import type { ReactNode } from "react";
import { Bone, Skeleton } from "../ui/skeleton.tsx";
import { AuthFrame } from "./auth-frame.tsx";
import styles from "./said.module.css";

type Props = { title: string; lead: string; focus?: boolean; children: ReactNode };

export function Said({ title, lead, focus, children }: Props) {
  return (
    <AuthFrame title={title} lead={lead} focus={focus ?? false}>
      <div className={styles.doorSaid}>{children}</div>
    </AuthFrame>
  );
}

export function FormBones() {
  return (
    <Skeleton className={styles.doorBones}>
      <Bone width="30%" />
      <Bone height="40px" />
      <Bone height="40px" />
    </Skeleton>
  );
}
