// The page of a comparison begins.

import { begin } from "./app.js";
import { start } from "./changes.js";
import { Comparison } from "./comparison.js";

begin((columns) => start(new Comparison(columns)));
