/** Cuts a photo to a square. Fingers, mouse, keyboard and a slider move and enlarge it. */
import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef } from 'react';
import { type CroppedPicture, drawCropped, MAX_ZOOM, moved, zoomed, zoomOf } from './photo.ts';
import styles from './photo-cropper.module.css';

/** In pixels, of the canvas. */
const EDGE = 512;
/** In parts of the square. */
const KEY_MOVE = 0.04;
const KEY_ZOOM = 1.1;

interface PhotoCropperProps {
  readonly cropped: CroppedPicture;
  readonly onChange: (change: (present: CroppedPicture) => CroppedPicture) => void;
}

export function PhotoCropper({ cropped, onChange }: PhotoCropperProps) {
  /** The places of the fingers on the photo, in parts of its width. */
  const fingers = useRef(new Map<number, readonly [x: number, y: number]>());

  function placeOf(event: PointerEvent<HTMLElement>): readonly [number, number] {
    const { width } = event.currentTarget.getBoundingClientRect();
    return [event.clientX / width, event.clientY / width];
  }

  function move(event: PointerEvent<HTMLElement>) {
    const before = fingers.current.get(event.pointerId);
    if (before === undefined) return;
    const now = placeOf(event);
    const others = [...fingers.current].filter(([id]) => id !== event.pointerId);
    fingers.current.set(event.pointerId, now);
    const other = others[0]?.[1];
    const shares = others.length + 1;
    onChange((present) => {
      const shifted = moved(present, (before[0] - now[0]) / shares, (before[1] - now[1]) / shares);
      if (other === undefined) return shifted;
      const distance = (place: readonly [number, number]) =>
        Math.hypot(place[0] - other[0], place[1] - other[1]);
      return zoomed(shifted, (zoomOf(shifted) * distance(now)) / Math.max(0.01, distance(before)));
    });
  }

  function lift(event: PointerEvent<HTMLElement>) {
    fingers.current.delete(event.pointerId);
  }

  function handleKey(event: KeyboardEvent<HTMLElement>) {
    const change = changeByKey(event.key);
    if (change === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onChange(change);
  }

  return (
    <div className={styles.cropper}>
      <div
        className={styles.frame}
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys that move the photo need the focus
        tabIndex={0}
        aria-label="Photo. Arrow keys move it, plus and minus enlarge it and make it smaller."
        onKeyDown={handleKey}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          fingers.current.set(event.pointerId, placeOf(event));
        }}
        onPointerMove={move}
        onPointerUp={lift}
        onPointerCancel={lift}
      >
        <CroppedPhoto cropped={cropped} />
      </div>
      <label className={styles.zoom}>
        <span>Zoom</span>
        <input
          type="range"
          min={1}
          max={MAX_ZOOM}
          step={0.01}
          value={zoomOf(cropped)}
          onChange={({ currentTarget: { valueAsNumber } }) =>
            onChange((present) => zoomed(present, valueAsNumber))
          }
        />
      </label>
    </div>
  );
}

function changeByKey(key: string): ((present: CroppedPicture) => CroppedPicture) | undefined {
  switch (key) {
    case 'ArrowLeft':
      return (present) => moved(present, KEY_MOVE, 0);
    case 'ArrowRight':
      return (present) => moved(present, -KEY_MOVE, 0);
    case 'ArrowUp':
      return (present) => moved(present, 0, KEY_MOVE);
    case 'ArrowDown':
      return (present) => moved(present, 0, -KEY_MOVE);
    case '+':
    case '=':
      return (present) => zoomed(present, zoomOf(present) * KEY_ZOOM);
    case '-':
      return (present) => zoomed(present, zoomOf(present) / KEY_ZOOM);
    default:
      return undefined;
  }
}

export function CroppedPhoto({ cropped }: { readonly cropped: CroppedPicture }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    if (canvas.current) drawCropped(canvas.current, cropped);
  }, [cropped]);
  return <canvas ref={canvas} className={styles.photo} width={EDGE} height={EDGE} />;
}
