
"use strict";
(function () {
  var section = document.getElementById("changes");
  if (!section) { return; }
  var bar = section.querySelector(".search");
  var input = bar.querySelector("input");
  var output = bar.querySelector("output");
  var rows = Array.prototype.map.call(section.querySelectorAll("tbody tr"), function (row) {
    var cells = Array.prototype.map.call(row.cells, function (cell) { return cell.textContent; });
    return { row: row, text: cells.join(" ").toLowerCase() };
  });
  function show() {
    var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    var shown = 0;
    rows.forEach(function (each) {
      var matches = words.every(function (word) { return each.text.indexOf(word) >= 0; });
      each.row.hidden = !matches;
      shown += matches ? 1 : 0;
    });
    output.textContent = words.length ? shown + " of " + rows.length : "";
  }
  input.addEventListener("input", show);
  bar.hidden = false;
  show();
})();
