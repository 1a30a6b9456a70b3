/** The device's camera from the request for it to its end, and the reading of codes in between. */
import type { CameraProblem } from './camera-problems.ts';
import { openCodeReader, ReaderNotLoaded } from './code-reader.ts';

/** In pixels. A printed code at arm's length is readable at this size; a larger picture only takes longer. */
const MAX_SIDE = 1_280;
const WANTED: MediaStreamConstraints = {
  video: { facingMode: { ideal: 'environment' }, width: { ideal: MAX_SIDE }, height: { ideal: 720 } },
};
const PAUSE_MS = 100;

/** The errors of getUserMedia (https://www.w3.org/TR/mediacapture-streams/#dom-mediadevices-getusermedia). */
const PROBLEMS: Readonly<Record<string, CameraProblem>> = {
  NotAllowedError: 'denied',
  SecurityError: 'denied',
  NotFoundError: 'missing',
  NotReadableError: 'busy',
  OverconstrainedError: 'unsuitable',
};

/** @throws DOMException when the camera refuses. */
export type SwitchTorch = (isOn: boolean) => Promise<void>;

export interface Watcher {
  /** @param switchTorch is null when the camera has no light. */
  onLive(switchTorch: SwitchTorch | null): void;
  /** @returns true for the wanted code; the camera then stops. */
  onText(text: string): boolean;
  onProblem(problem: CameraProblem): void;
}

/** @returns a function that stops the camera, or the request for it. */
export function startScanning(video: HTMLVideoElement, watcher: Watcher): () => void {
  const reader = openCodeReader();
  let stream: MediaStream | null = null;
  let isOver = false;

  function stop(): void {
    isOver = true;
    reader.close();
    if (stream) endTracks(stream);
    video.srcObject = null;
  }

  function fail(problem: CameraProblem): void {
    if (isOver) return;
    stop();
    watcher.onProblem(problem);
  }

  async function scan(): Promise<void> {
    const opened = await navigator.mediaDevices.getUserMedia(WANTED);
    if (isOver) return endTracks(opened);
    stream = opened;
    for (const track of opened.getVideoTracks()) track.addEventListener('ended', () => fail('unplugged'));
    video.srcObject = opened;
    await video.play();
    if (isOver) return;
    watcher.onLive(torchOf(opened));
    while (!isOver) {
      for (const text of await reader.read(video, MAX_SIDE)) if (!isOver && watcher.onText(text)) stop();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  scan().catch((error: unknown) => fail(problemOf(error)));
  return stop;
}

function endTracks(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

function problemOf(error: unknown): CameraProblem {
  if (error instanceof ReaderNotLoaded) return 'notLoaded';
  return (error instanceof DOMException && PROBLEMS[error.name]) || 'failed';
}

/** https://www.w3.org/TR/image-capture/#dom-mediatrackcapabilities-torch; Firefox has no capabilities. */
function torchOf(stream: MediaStream): SwitchTorch | null {
  const [track] = stream.getVideoTracks();
  if (!track || !('getCapabilities' in track)) return null;
  const capabilities: MediaTrackCapabilities & { readonly torch?: boolean } = track.getCapabilities();
  if (!capabilities.torch) return null;
  return (torch) => {
    const light: MediaTrackConstraintSet & { readonly torch: boolean } = { torch };
    return track.applyConstraints({ advanced: [light] });
  };
}
