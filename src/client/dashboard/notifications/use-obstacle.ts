/** What keeps notices from being switched on here, also when somebody changes the settings of the site meanwhile. */
import { useEffect, useState } from 'react';
import { type Obstacle, obstacleHere } from './registration.ts';

export function useObstacle() {
  const [obstacle, setObstacle] = useState<Obstacle | null>(obstacleHere);

  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const look = () => setObstacle(obstacleHere());
    window.addEventListener('focus', look, { signal });
    navigator.permissions
      ?.query({ name: 'notifications' })
      .then((permission) => permission.addEventListener('change', look, { signal }))
      // Some browsers do not tell of this permission; coming back to the page does.
      .catch(() => {});
    return () => ended.abort();
  }, []);

  return {
    obstacle,
    /** Asks for permission, which browsers allow in a click only. @returns whether it was given. */
    async ask(): Promise<boolean> {
      const permission = await Notification.requestPermission();
      setObstacle(obstacleHere());
      return permission === 'granted';
    },
  };
}
