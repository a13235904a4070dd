// The page of many runs begins.

import { begin } from "./app.js";
import { start_trend } from "./trend.js";

begin(start_trend);
