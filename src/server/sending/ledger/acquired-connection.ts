export type AcquiredConnection = {
  connectionId: number;
  accountId: string;
  deviceId: string;
  kind: string;
  fence: number;
  desired: string;
};
