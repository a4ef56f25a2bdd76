package statute

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// regions are the places of province level, by the name that stands in Region,
// with the places of prefecture level in them (GB/T 2260) and a few lesser ones
// that people name alone. A name that is also a word, or that words make where
// they meet (担保 + 定金), is listed with the suffix that tells it apart.
var regions = map[string]string{
	"北京": "", "天津": "", "重庆": "",
	"上海":  "浦东",
	"河北":  "石家庄 唐山 秦皇岛 邯郸 邢台 保定市 张家口 承德 沧州 廊坊 衡水 雄安",
	"山西":  "太原 大同市 阳泉 长治市 晋城 朔州 晋中 运城市 忻州 临汾 吕梁",
	"内蒙古": "呼和浩特 包头 乌海 赤峰 通辽 鄂尔多斯 呼伦贝尔 巴彦淖尔 乌兰察布 兴安盟 锡林郭勒 阿拉善",
	"辽宁":  "沈阳 大连 鞍山 抚顺 本溪 丹东 锦州 营口 阜新 辽阳 盘锦 铁岭 朝阳市 葫芦岛",
	"吉林":  "长春 四平市 辽源 通化市 白山市 松原 白城 延边",
	"黑龙江": "哈尔滨 齐齐哈尔 鸡西 鹤岗 双鸭山 大庆市 伊春 佳木斯 七台河 牡丹江 黑河 绥化 大兴安岭",
	"江苏":  "南京 无锡 徐州 常州 苏州 南通 连云港 淮安 盐城 扬州 镇江 泰州 宿迁 昆山市",
	"浙江":  "杭州 宁波 温州 嘉兴 湖州 绍兴 金华 衢州 舟山 台州 丽水 义乌",
	"安徽":  "合肥 芜湖 蚌埠 淮南 马鞍山 淮北 铜陵 安庆市 黄山市 滁州 阜阳 宿州 六安市 亳州 池州 宣城",
	"福建":  "福州 厦门 莆田 三明市 泉州 漳州 南平 龙岩 宁德",
	"江西":  "南昌 景德镇 萍乡 九江 新余市 鹰潭 赣州 吉安 宜春 抚州 上饶",
	"山东":  "济南 青岛 淄博 枣庄 东营市 烟台 潍坊 济宁 泰安 威海 日照市 临沂 德州市 聊城 滨州 菏泽 莱芜",
	"河南":  "郑州 开封市 洛阳 平顶山 安阳 鹤壁 新乡市 焦作 濮阳 许昌 漯河 三门峡 南阳 商丘 信阳 周口 驻马店 济源",
	"湖北":  "武汉 黄石 十堰 宜昌 襄阳 鄂州 荆门 孝感 荆州 黄冈 咸宁 随州 恩施 神农架",
	"湖南":  "长沙 株洲 湘潭 衡阳 邵阳 岳阳 常德 张家界 益阳 郴州 永州 怀化 娄底 湘西土家族",
	"广东":  "广州 韶关 深圳 珠海 汕头 佛山 江门 湛江 茂名 肇庆 惠州 梅州 汕尾 河源市 阳江 清远 东莞 中山市 潮州 揭阳 云浮 横琴",
	"广西":  "南宁 柳州 桂林 梧州 北海市 防城港 钦州 贵港 玉林 百色 贺州 河池市 来宾市 崇左",
	"海南":  "海口市 三亚 三沙 儋州",
	"四川":  "成都 自贡 攀枝花 泸州 德阳 绵阳 广元 遂宁 内江市 乐山 南充 眉山 宜宾 广安市 达州 雅安 巴中 资阳 阿坝 甘孜 凉山",
	"贵州":  "贵阳 六盘水 遵义 安顺市 毕节 铜仁 黔西南 黔东南 黔南",
	"云南":  "昆明 曲靖 玉溪 保山 昭通 丽江 普洱市 临沧 楚雄 红河州 红河哈尼族 文山州 文山壮族 西双版纳 大理市 大理州 大理白族 德宏 怒江州 怒江傈僳族 迪庆",
	"西藏":  "拉萨 日喀则 昌都 林芝 山南市 那曲 阿里地区",
	"陕西":  "西安 铜川 宝鸡 咸阳 渭南 延安 汉中 榆林 安康市 商洛",
	"甘肃":  "兰州 嘉峪关 金昌 白银市 天水市 武威 张掖 平凉 酒泉 庆阳 定西市 陇南 临夏 甘南",
	"青海":  "西宁 海东市 海北州 海北藏族 黄南州 黄南藏族 海南州 海南藏族 果洛 玉树 海西州 海西蒙古族",
	"宁夏":  "银川 石嘴山 吴忠市 固原市 中卫市",
	"新疆":  "乌鲁木齐 克拉玛依 吐鲁番 哈密市 哈密地区 昌吉 博尔塔拉 巴音郭楞 阿克苏 克孜勒苏 喀什 和田市 和田地区 伊犁 塔城 阿勒泰",
}

// noRegions are words and names that begin before a place's name and run into it,
// or begin with it, and name no place: 推广|西部, 造成|都, 东西|安全.
var noRegions = strings.Fields(`
	黄河 淮河 运河 渭河 长江 珠江 湘江 太湖 西湖 东湖 南湖 江湖 洞庭湖 鄱阳湖 泰山 华山 矿山 火山 荒山 登山 爬山 中山 昆山 黄山
	渤海 黄海 东海 南海 沿海 近海 公海 出海 入海 上海外国语 推广 隆重 造福 幸福 天津贴 重庆祝 以上 网上 船上 东西安 西安全 西安装
	造成 完成 变成 组成 达成 形成 构成 养成 赞成 换成 弄成 写成 做成 打成 改成 当成 分成 合成 生成 促成 落成 转成 说成
	营运 客运 货运 航运 海运 空运 托运 大连带 大连锁 大连续 大连接 复合肥 合肥料 承包 拖延 继承 西南 东南 新乡镇 新乡村 保山林 太原则 普洱茶 哈密瓜`)

// regionNames maps each name to its region, and what is none to "".
var regionNames, longestRegionName = func() (map[string]string, int) {
	names, longest := map[string]string{}, 0
	for _, word := range noRegions {
		names[word] = ""
	}
	for region, places := range regions {
		for _, place := range append(strings.Fields(places), region) {
			names[place] = region
		}
	}
	for name := range names {
		longest = max(longest, utf8.RuneCountInString(name))
	}
	return names, longest
}()

// regionName reads the longest known name at the head of text: its region, ""
// when it names none, and its length in bytes, 0 when there is no known name.
func regionName(text string) (region string, size int) {
	end := 0
	for n := 0; n < longestRegionName && end < len(text); n++ {
		_, width := utf8.DecodeRuneInString(text[end:])
		end += width
		if r, ok := regionNames[text[:end]]; ok {
			region, size = r, end
		}
	}
	return region, size
}

// namesakes follow a place's name where it is part of the name of something that
// people everywhere deal with: 上海证券交易所, 北京时间, 南京西路, 宁波银行.
var namesakes = regexp.MustCompile(`^市?(?:(?:证券|期货|商品|金融|黄金|票据|航运|石油|碳排放权|环境能源)*交易所|时间|大学|银行(?:[^业保]|$)|[东西南北中]?路(?:[^政灯桥]|$)|` +
	`合作组织|条约|公约|宣言|冬?奥|世博|亚运|烤鸭|话|菜(?:[^市]|$)|方言)`)

// RegionsIn returns the regions whose place a text names, itself or by one of its
// cities, each once, in the order of the text.
func RegionsIn(text string) []string {
	var found []string
	for i := 0; i < len(text); {
		region, size := regionName(text[i:])
		if size == 0 {
			_, width := utf8.DecodeRuneInString(text[i:])
			i += width
			continue
		}
		i += size
		if region != "" && !slices.Contains(found, region) && !namesakes.MatchString(text[i:]) {
			found = append(found, region)
		}
	}
	return found
}

var (
	provinceNames  = strings.Join(provinces(), "|")
	zoneTitle      = regexp.MustCompile(`^中国（(` + provinceNames + `)）`)
	provinceHeader = regexp.MustCompile(`(` + provinceNames + `)(?:省|市|壮族自治区|回族自治区|维吾尔自治区|自治区)(?:第.{1,4}届)?(?:人民代表大会|人大常委会|人民政府)`)
)

func provinces() []string {
	names := make([]string, 0, len(regions))
	for name := range regions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Region names the province-level place to which a local regulation belongs: 上海,
// 广东. The header, where a province's congress passes or approves a city's
// regulation, says it for cities; else the place at the head of the title does.
// National laws have no region: 海南自由贸易港法 and 长江保护法 are the Congress's.
func Region(title, header string) string {
	if m := provinceHeader.FindStringSubmatch(header); m != nil {
		return m[1]
	}
	t := strings.TrimPrefix(ShortTitle(title), country)
	if congressHeader.MatchString(header) || councilHeader.MatchString(header) || strings.HasSuffix(t, "法") && !strings.HasSuffix(t, "办法") {
		return ""
	}
	if m := zoneTitle.FindStringSubmatch(t); m != nil {
		return m[1]
	}
	if !endsLikeNorm(t) {
		return "" // a case: 中山市某公司诉某局案
	}
	region, size := regionName(t)
	if namesakes.MatchString(t[size:]) {
		return ""
	}
	return region
}
