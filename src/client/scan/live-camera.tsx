/** The live picture in its frame. The camera is on while this part is mounted and visible. */
import { Flashlight, FlashlightOff } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react';
import { Button } from '../ui/button.tsx';
import styles from './live-camera.module.css';
import { type SwitchTorch, startScanning, type Watcher } from './scanning.ts';

interface LiveCameraProps extends Pick<Watcher, 'onText' | 'onProblem'> {
  readonly onLive: () => void;
}

export function LiveCamera({ onText, onProblem, onLive }: LiveCameraProps) {
  const video = useRef<HTMLVideoElement>(null);
  const isHidden = useSyncExternalStore(watchVisibility, () => document.hidden);
  const [switchTorch, setSwitchTorch] = useState<SwitchTorch | null>(null);
  const readText = useEffectEvent(onText);
  const tellProblem = useEffectEvent(onProblem);
  const tellLive = useEffectEvent(onLive);

  useEffect(() => {
    if (isHidden || !video.current) return;
    return startScanning(video.current, {
      onLive(torch) {
        setSwitchTorch(() => torch);
        tellLive();
      },
      onText: (text) => readText(text),
      onProblem: (problem) => tellProblem(problem),
    });
  }, [isHidden]);

  return (
    <div className={styles.live} ref={scrollIntoView}>
      <div className={styles.picture}>
        <video ref={video} muted playsInline aria-label="Picture of the camera" />
      </div>
      {switchTorch && !isHidden && <Torch switchTorch={switchTorch} />}
    </div>
  );
}

function Torch({ switchTorch }: { readonly switchTorch: SwitchTorch }) {
  const [isOn, setOn] = useState(false);
  const [hasRefused, setRefused] = useState(false);

  function toggle() {
    switchTorch(!isOn).then(
      () => {
        setOn(!isOn);
        setRefused(false);
      },
      () => setRefused(true),
    );
  }

  return (
    <>
      <Button look="quiet" aria-pressed={isOn} onClick={toggle}>
        {isOn ? <FlashlightOff aria-hidden /> : <Flashlight aria-hidden />} Light
      </Button>
      <p role="status">{hasRefused && 'The light cannot be switched now: try again in a moment.'}</p>
    </>
  );
}

/** Without it the tapped button keeps its place, and the picture above it is out of view. */
function scrollIntoView(element: Element | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

function watchVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
