/** The real thread that draws, one for all apps of a process, and somebody who asks it for something. */
import { createDrawing } from '#server/print/drawing.ts';
import type { WorkOwner } from '#server/queue/work-queue.ts';

/** It is begun with the first drawing, and ends with the process at the latest. */
export const testDrawing = createDrawing({
  onTrouble(error) {
    throw error;
  },
});

export const workOwnerNamed = (name: string): WorkOwner => ({ origin: name, account: name, isKnown: false });

export const SOMEBODY = workOwnerNamed('somebody');
