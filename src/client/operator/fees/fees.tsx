export function Fees() {
  return null;
}
