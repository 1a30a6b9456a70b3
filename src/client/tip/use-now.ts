import { useEffect, useState } from 'react';

const SECOND_MS = 1_000;

/** The present time, again at the beginning of each second. */
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setTimeout(() => setNow(new Date()), SECOND_MS - now.getMilliseconds());
    return () => clearTimeout(timer);
  }, [now]);
  return now;
}
