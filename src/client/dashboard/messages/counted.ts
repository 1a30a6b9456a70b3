import { lengthOf, MAX_MESSAGE_LENGTH } from '#shared/message-rules.ts';

/** How much of its room a text takes. */
export function counted(text: string): string {
  return `${lengthOf(text)} of ${MAX_MESSAGE_LENGTH} characters`;
}
