/** The sentences about a missing picture of the camera, and about its remedies. */
import { brand } from '#shared/brand.ts';

export const CAMERA_PROBLEMS = {
  insecure: 'Cameras work on https pages only: open this page by https, or enter the code by hand.',
  unsupported: 'This browser can’t use a camera here. Try another browser, or enter the code by hand.',
  missing: 'No camera was found: connect one and try again, or enter the code by hand.',
  denied: `${brand.name} may not use the camera: allow it for this page in your browser’s settings, then try again.`,
  busy: 'Another app is using the camera: close that app, then try again.',
  unsuitable: 'This camera doesn’t work here. Connect another one and try again.',
  unplugged: 'The camera was disconnected or switched off: connect it, then try again.',
  notLoaded: 'The scanner could not be loaded: check your connection, then try again.',
  failed: 'The camera could not be started: try again, or load this page again.',
} as const;

export type CameraProblem = keyof typeof CAMERA_PROBLEMS;

/** What keeps this page from every camera; null when nothing does. */
export function lastingProblem(): CameraProblem | null {
  if (!window.isSecureContext) return 'insecure';
  return 'mediaDevices' in navigator ? null : 'unsupported';
}
