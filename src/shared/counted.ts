/** Such as `1 tip`, `2 tips`. @param more for a word whose plural is more than an `s`. */
export function counted(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}
