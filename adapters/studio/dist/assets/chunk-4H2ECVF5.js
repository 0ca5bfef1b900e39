import{x as n}from"/assets/chunk-2PJ65Y62.js";function i(r){return r==="Edited by hand"?n.versions.byHand:r.split(`
`,1)[0]||n.versions.noMessage}export{i as a};
