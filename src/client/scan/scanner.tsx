/** Scans a code by the camera or from a picture. The camera's button fetches its script and the decoder. */
import { type ChangeEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { brand } from '#shared/brand.ts';
import { readScannedText } from '#shared/scanned-text.ts';
import { Button } from '../ui/button.tsx';
import { CAMERA_PROBLEMS, type CameraProblem, lastingProblem } from './camera-problems.ts';
import type { LiveCamera } from './live-camera.tsx';
import styles from './scanner.module.css';
import { Viewfinder } from './viewfinder.tsx';

/** In characters, of a text that is no code. */
const SHOWN_LENGTH = 60;
const VIBRATION_MS = 60;

type Camera =
  | { readonly kind: 'off' | 'loading' }
  | { readonly kind: 'starting' | 'live'; readonly View: typeof LiveCamera }
  | { readonly kind: 'unavailable'; readonly problem: CameraProblem };

export function Scanner({ onCode }: { readonly onCode: (code: string) => void }) {
  const { camera, ...switches } = useCamera();
  const [notice, setNotice] = useState<ReactNode>(null);
  const file = useRef<HTMLInputElement>(null);
  const isOn = camera.kind === 'starting' || camera.kind === 'live';
  const isLasting = camera.kind === 'unavailable' && lastingProblem() !== null;

  function toggle() {
    setNotice(null);
    if (isOn) switches.stop();
    else void switches.start();
  }

  /** Opens the tip page of a code, or shows the text that was read instead. @returns true for a code. */
  function follow(text: string): boolean {
    const { code } = readScannedText(text);
    if (code === null) setNotice(<Foreign text={text} />);
    else {
      // Back before the tip page is there leads here again, where a camera that has ended would still be shown.
      switches.stop();
      onCode(code);
    }
    return code !== null;
  }

  function followScanned(text: string): boolean {
    const isCode = follow(text);
    if (isCode && 'vibrate' in navigator) navigator.vibrate(VIBRATION_MS);
    return isCode;
  }

  async function choose({ currentTarget }: ChangeEvent<HTMLInputElement>) {
    const [picture] = currentTarget.files ?? [];
    // The same picture can be chosen again.
    const forget = () => {
      currentTarget.value = '';
    };
    if (!picture) return;
    // Somebody may leave this screen, or choose another picture, before this one is read.
    const isWanted = () => file.current?.files?.[0] === picture;
    setNotice('Looking for a code in the picture...');
    try {
      const { readPicture } = await import('./read-picture.ts');
      const texts = await readPicture(picture);
      if (!isWanted()) return;
      if (texts === null) setNotice('This browser can’t show that file. Choose another picture.');
      else if (texts.length === 0)
        setNotice('No code was found in that picture. Choose a sharp one that shows the whole code.');
      else texts.some(follow);
    } catch {
      if (!isWanted()) return;
      setNotice(CAMERA_PROBLEMS.notLoaded);
    }
    forget();
  }

  return (
    <section className={styles.scanner} data-blocked={camera.kind === 'unavailable'} aria-label="Camera">
      {isOn ? (
        <camera.View
          onText={followScanned}
          onLive={() => switches.become({ ...camera, kind: 'live' })}
          onProblem={(problem) => switches.become(fromProblem(problem))}
        />
      ) : (
        <Viewfinder />
      )}
      <div className={styles.words}>
        {camera.kind === 'unavailable' && <p>Camera scanning feature will be available soon!</p>}
        <div className={styles.status} role="status">
          {camera.kind === 'unavailable' && <p>{CAMERA_PROBLEMS[camera.problem]}</p>}
          {camera.kind === 'starting' && <p>Your browser may ask whether {brand.name} may use the camera.</p>}
          {camera.kind === 'live' && notice === null && <p>Hold the code in the frame.</p>}
          {notice !== null && <p>{notice}</p>}
        </div>
        <div className={styles.controls}>
          {!isLasting && (
            <Button
              look={isOn || camera.kind === 'unavailable' ? 'quiet' : 'primary'}
              aria-disabled={camera.kind === 'loading'}
              onClick={toggle}
            >
              {isOn ? 'Stop the camera' : camera.kind === 'unavailable' ? 'Retry' : 'Scan with the camera'}
            </Button>
          )}
          <Button look="quiet" onClick={() => file.current?.click()}>
            Choose a picture of a code
          </Button>
          <input ref={file} type="file" accept="image/*" hidden onChange={choose} />
        </div>
      </div>
    </section>
  );
}

function useCamera() {
  const [camera, become] = useState<Camera>(() => fromProblem(lastingProblem()));

  useEffect(() => {
    if (lastingProblem() !== null) return;
    navigator.mediaDevices.enumerateDevices().then(
      (devices) => {
        if (devices.some(({ kind }) => kind === 'videoinput')) return;
        become((now) => (now.kind === 'off' ? fromProblem('missing') : now));
      },
      // The request for the camera gives the reason.
      () => {},
    );
  }, []);

  async function start() {
    become({ kind: 'loading' });
    const loaded = await import('./live-camera.tsx').catch(() => null);
    become(loaded ? { kind: 'starting', View: loaded.LiveCamera } : fromProblem('notLoaded'));
  }

  function stop() {
    become({ kind: 'off' });
  }

  return { camera, become, start, stop };
}

function fromProblem(problem: CameraProblem | null): Camera {
  return problem === null ? { kind: 'off' } : { kind: 'unavailable', problem };
}

function Foreign({ text }: { readonly text: string }) {
  const shown = text.length > SHOWN_LENGTH ? `${[...text].slice(0, SHOWN_LENGTH).join('')}...` : text;
  return (
    <>
      That is not a {brand.name} code: <bdi>{shown}</bdi>
    </>
  );
}
