import { attempt } from "../run/attempt.ts";
import type { Services, SessionInput } from "../run/event.ts";

/** Brings the search index up to date, after all that matters more (`fills`: other sessions too); SQLite is loaded here and nowhere before. */
export function indexLate(input: SessionInput, services: Services, options?: { fills: boolean }): void {
	if (!services.config.search.enabled) return;
	attempt(services.log, () => {
		const { updateIndex } = require("./update-index.ts") as typeof import("./update-index.ts");
		updateIndex(input, services, options);
	});
}
