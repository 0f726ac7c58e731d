/** No stream tells of executions: they are asked for again when the user comes back to the page. */
import { useEffect } from "preact/hooks";

export function useLookAgain(reload: () => void): void {
    useEffect(() => {
        const look = (): void => {
            if (!document.hidden) reload();
        };
        document.addEventListener("visibilitychange", look);
        return () => document.removeEventListener("visibilitychange", look);
    }, []);
}
