/** Downloads the data of the signed-in person as one file, by REST, because tRPC carries no files. */
import { useRef, useState } from 'react';
import { z } from 'zod';
import { authorization, failureOf } from '../../api-client/api.ts';
import { verifySession } from '../../calls.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { fetchFile, saveAnswer } from '../../signed-in/later/file-answer.ts';
import { askForPassword } from '../../signed-in/later/password-again.ts';
import { timeZoneHere } from '../../signed-in/time-here.ts';

const EXPORT_URL = '/api/auth/me/export';
const ZIP = 'application/zip';
const UNNAMED = 'tipwell-data.zip';
const NO_ANSWER = 'Your data could not be downloaded. Check your connection and try again.';

/** RFC 9457, section 3.1. */
const problem = z.object({ code: z.string().optional(), detail: z.string() });

export interface DataDownload {
  readonly isUnderWay: boolean;
  readonly failure: string | null;
  start(): void;
  /** Waits for a download that is under way. @returns false when it failed. */
  finish(): Promise<boolean>;
}

export function useDataDownload(): DataDownload {
  const attempts = useAttempts();
  const [failure, setFailure] = useState<string | null>(null);
  const underWay = useRef<Promise<boolean>>(Promise.resolve(true));

  async function attempt(): Promise<boolean> {
    setFailure(null);
    const sentence = await downloadData();
    setFailure(sentence);
    return sentence === null;
  }

  return {
    isUnderWay: attempts.isUnderWay,
    failure,
    start() {
      void attempts.run(async () => {
        underWay.current = attempt();
        await underWay.current;
        underWay.current = Promise.resolve(true);
      });
    },
    finish: () => underWay.current,
  };
}

/** Never rejects. @returns the sentence of the failure; null when the file was saved. */
async function downloadData(): Promise<string | null> {
  try {
    const query = new URLSearchParams({ time_zone: timeZoneHere() });
    const download = () => fetchFile(`${EXPORT_URL}?${query}`, authorization());
    let response = await download();
    let refusal = response.ok ? null : await refusalOf(response);
    if (refusal?.code === 'password_needed' && (await askForPassword())) {
      response = await download();
      refusal = response.ok ? null : await refusalOf(response);
    }
    if (refusal) return refusal.detail;
    // A file that breaks off rejects here, because its length or its last chunk is missing.
    await saveAnswer(response, ZIP, UNNAMED);
    return null;
  } catch (error) {
    // `askForPassword` rejects with the server's refusal when the session has ended.
    return failureOf(error).detail ?? NO_ANSWER;
  }
}

async function refusalOf(response: Response): Promise<z.infer<typeof problem>> {
  const answer = problem.safeParse(await response.json().catch(() => null));
  const refusal = answer.data ?? { detail: NO_ANSWER };
  // The refusal of this call logs out when the session has ended.
  if (response.status === 401 && refusal.code !== 'password_needed') await verifySession();
  return refusal;
}
