import { test } from "vitest";
import STORMS from "./storms.json";
import { expectLinear } from "./time.ts";

test.each(STORMS)("four times of %j takes about four times the time", (unit) => expectLinear(unit));
