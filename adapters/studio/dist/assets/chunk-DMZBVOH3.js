import{x as n}from"/assets/chunk-IBSDH4R2.js";function i(r){return r==="Edited by hand"?n.versions.byHand:r.split(`
`,1)[0]||n.versions.noMessage}export{i as a};
