import{a,b,c,d,e}from"/assets/chunk-EMKBVWRQ.js";export{e as diffOf,c as rulesOf,a as tokensOf,b as withToken,d as withTokens};
