/** Files by REST, because tRPC carries none. */
import { CLIENT_PATIENCE_MS } from '#shared/patience.ts';
import { saveFile } from '../save-file.ts';

/**
 * As `fetch`, but the answer breaks off when nothing of it has come for as long as a page waits. A file may take longer
 * as a whole.
 */
export async function fetchFile(
  address: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const ending = new AbortController();
  const giveUp = () => ending.abort();
  let timer = setTimeout(giveUp, CLIENT_PATIENCE_MS);
  function wait() {
    clearTimeout(timer);
    timer = setTimeout(giveUp, CLIENT_PATIENCE_MS);
  }
  try {
    const answer = await fetch(address, { headers, signal: ending.signal });
    wait();
    const coming = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, all) {
        wait();
        all.enqueue(piece);
      },
      flush: () => clearTimeout(timer),
    });
    return new Response(answer.body?.pipeThrough(coming), answer);
  } catch (error) {
    clearTimeout(timer);
    throw error;
  }
}

/** Saves an answer under the name that it brings. @throws when it breaks off. */
export async function saveAnswer(answer: Response, type: string, unnamed: string): Promise<void> {
  // RFC 6266, section 4.1.
  const named = /filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition') ?? '')?.[1];
  saveFile(new Uint8Array(await answer.arrayBuffer()), type, named ?? unnamed);
}
